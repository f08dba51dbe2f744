package io.eddyline.spark.globaltable.refresh

import java.io.FileNotFoundException

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

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
  def position(end: TopicEnd, malformed: Long): TopicPosition =
    TopicPosition(end.offsets.json(topic.name), malformed, started, end.topicId)

  /** Reads the records up to `end` that come after a version with these rows, or all of a topic. */
  def read(rows: KeyedRows, last: Version, end: TopicEnd): LastRecords = {
    val from = last.topic.fold(TopicOffsets.START)(at => TopicOffsets.parse(at.offsets))
    val records =
      new LastRecords(topic, source.relation.id.shortName, source.options, rows, session)
    client.read(topic, session, from, end.offsets)(records.add)
    records
  }

  /**
   * Writes the version that records make of the one before, into a draft.
   *
   * @return a version without a name; if no row has changed, the same one at its new position
   */
  def write(
      before: DriverVersion, records: LastRecords, end: TopicEnd, draft: Path): DriverVersion = {
    val last = before.version
    val position = this.position(end, last.topic.fold(0L)(_.malformed) + records.malformed)
    val next = last.copy(nullKeys = last.nullKeys + records.nullKeys, topic = Some(position))
    if (before.base.isDefined && records.changes.isEmpty) before.copy(version = next)
    else {
      val rows = before.rows.changed(records.changes)
      val few = before.base.map(base => base -> (before.changes ++ records.changes))
        .filter { case (base, changes) => areFew(changes.size, base) }
      val made = DriverVersion(
        Version("", 0, fingerprint(position), Some(rows.byKey.size.toLong),
          nullKeys = next.nullKeys, base = few.map(_._1.name), topic = next.topic),
        few.map(_._1), rowType, rows, few.fold(empty.changes)(_._2))
      if (few.isDefined) DriverFile.write(made.changeRows, made.changeType, draft, session)
      else DriverFile.write(rows.byKey.valuesIterator, rowType, draft, session)
      made
    }
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

  private def areFew(changes: Int, base: Version): Boolean =
    changes <= FEW || changes <= base.rows.getOrElse(0L) / REBASE
}
