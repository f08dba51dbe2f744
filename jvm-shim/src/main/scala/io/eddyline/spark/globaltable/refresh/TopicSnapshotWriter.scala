package io.eddyline.spark.globaltable.refresh

import java.io.FileNotFoundException

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.globaltable.catalog.GlobalTableOptions
import io.eddyline.spark.globaltable.topic._
import io.eddyline.spark.globaltable.version._
import io.eddyline.spark.kafka.TopicOffsets

/**
 * Writes the rows of a topic as a snapshot, on the driver and without a job: all of them, or the
 * changes of an earlier version, its base, as long as these are few.
 *
 * Errors: those of [[LastRecords]] and of [[TopicClient]].
 *
 * @param started when the topic was asked for its end, in milliseconds since 1970
 */
private[refresh] class TopicSnapshotWriter(
    source: Source,
    topic: TopicDefinition,
    snapshots: Snapshots,
    client: TopicClient,
    session: SparkSession,
    val started: Long) {
  import TopicSnapshotWriter._

  private val key = new TopicKey(topic)
  private lazy val decode = new RecordDecoder(topic, session)
  private val rowType = StructType(topic.columns.map(_.copy(nullable = true)))

  /** A version without rows, of which nothing is stored. */
  val empty: DriverVersion =
    DriverVersion(Version("", 0, ""), None, rowType, KeyedRows(key.emptyMap), key.emptyMap)

  /** A digest of a position and of how records become rows; equal digests mean equal rows. */
  def fingerprint(position: TopicPosition): String =
    Probe.digest((position.offsets +: position.topicId.toSeq) ++ Seq(topic.name,
      topic.keyFormat.toString, topic.valueFormat.toString, topic.mode.name, topic.columns.json,
      topic.keyColumns.fieldNames.toSeq.toString,
      source.relation.settings.toSeq.sorted.mkString))

  /** Returns the position at an end of the topic, before which records were malformed. */
  def position(end: TopicEnd, malformed: Long, since: Long = started): TopicPosition =
    TopicPosition(end.offsets.json(topic.name), malformed, since, end.topicId)

  /** Returns what takes the records that come after a version with these rows. */
  def records(rows: KeyedRows, options: GlobalTableOptions = source.options): LastRecords =
    new LastRecords(topic, source.relation.id.shortName, options, rows, key, decode)

  /** Reads the records up to `end` that come after a version, or all of a topic. */
  def read(before: DriverVersion, end: TopicEnd): (LastRecords, TopicOffsets) = {
    val found = records(before.rows)
    found -> client.read(topic, session, before.offsets, end.offsets)(found.add)
  }

  /** Writes a version that has no name yet into a draft: all its rows, or the changes of a base. */
  def write(version: DriverVersion, draft: Path): DriverVersion = {
    val base = version.base.filter(base => areFew(version) && snapshots.isThere(base))
    val made = version.copy(
      version = version.version.copy(
        fingerprint = fingerprint(version.version.topic.get), base = base.map(_.name)),
      base = base,
      changes = if (base.isDefined) version.changes else empty.changes)
    if (base.isDefined) DriverFile.write(made.changeRows, made.changeType, draft, session)
    else DriverFile.write(made.rows.byKey.valuesIterator, rowType, draft, session)
    made
  }

  /** Whether the changes of a version are few beside the rows of its base. */
  def areFew(version: DriverVersion): Boolean = version.base.exists { base =>
    version.changes.size <= FEW || version.changes.size <= base.rows.getOrElse(0L) / REBASE
  }

  /** Reads a version from its snapshot. */
  def load(version: Version): DriverVersion = {
    val base = snapshots.baseOf(version)
    val rows = empty.rows.changed(stored(base, rowType)(_ => false))
    val changes =
      if (base eq version) Nil
      else stored(version, empty.changeType)(_.getBoolean(rowType.length))
    // Spark lists no files of a folder that another driver has removed
    if (!snapshots.isThere(version)) throw new FileNotFoundException(version.name)
    DriverVersion(version, Some(base), rowType, rows.changed(changes), empty.changes ++ changes)
  }

  private def stored(of: Version, columns: StructType)(
      isDeleted: InternalRow => Boolean): Iterable[(InternalRow, Change)] = {
    val row = UnsafeProjection.create(rowType)
    val found = mutable.Buffer.empty[(InternalRow, Change)]
    DriverFile.read(columns, snapshots.path(of), session) { stored =>
      val change = Change(row(stored).copy(), isDeleted(stored))
      found += key.of(change.row) -> change
    }
    found
  }
}

private object TopicSnapshotWriter {

  /** A number of changes that is few even if the base has not more rows. */
  private val FEW = 10000

  /** The part of the rows of a base above which changes of it are many. */
  private val REBASE = 10
}
