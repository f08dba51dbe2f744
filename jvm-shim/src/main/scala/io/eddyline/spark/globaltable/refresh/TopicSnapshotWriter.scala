package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{classic, functions, Column, Observation}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.{quoteIfNeeded, FailFastMode}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.types.{BooleanType, StructType}

import io.eddyline.spark.EddylineErrors
import io.eddyline.spark.globaltable.topic._
import io.eddyline.spark.globaltable.version._

/**
 * Writes the rows of a topic as a snapshot: all of them, or the changes since an earlier one as
 * long as these are few.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.MALFORMED_RECORD, TOO_LARGE.
 *
 * @param started when the topic was asked for its end, in milliseconds since 1970
 * @param onRead takes the number of records that were read
 */
private[refresh] class TopicSnapshotWriter(
    source: Source,
    topic: TopicDefinition,
    snapshots: Snapshots,
    session: SparkSession,
    started: Long)(
    onRead: Long => Unit) {
  import TopicSnapshotWriter._

  private val id = source.relation.id
  private val options = source.options
  private val records = new TopicRecords(topic, session)
  private val keys = topic.keyColumns.fieldNames.toSeq

  /** A digest of offsets and of how records become rows; equal digests mean equal rows. */
  def fingerprint(offsets: String): String = Source.digest(Seq(
      offsets, topic.name, topic.keyFormat.toString, topic.valueFormat.toString, topic.mode.name,
      topic.columns.json, keys.toString, source.relation.settings.toSeq.sorted.mkString))

  /** Writes all rows up to `end` into `draft`. */
  def writeAll(draft: Path, end: TopicOffsets): Version = {
    val (read, counts) = observed(TopicOffsets.START, end)
    val rows = records.last(read).where(!isDeleted).drop(ChangedRelation.IS_DELETED)
    val version = writeRows(rows, draft)
    val (nullKeys, malformed) = check(counts, TopicOffsets.START, end)
    version.copy(
      fingerprint = fingerprint(end.json(topic.name)),
      nullKeys = nullKeys,
      topic = Some(TopicPosition(end.json(topic.name), malformed, started)))
  }

  /**
   * Writes a version that has the changes since `last` too, either as all rows or as changes of its
   * base. Returns `last` at the new position if no row has changed, and then nothing is to publish.
   */
  def writeChanges(draft: Path, last: Version, from: TopicOffsets, end: TopicOffsets): Version = {
    val (read, counts) = observed(from, end)
    val folder = new Path(draft, NEW)
    val (number, _) = write(records.last(read), folder)
    val (nullKeys, malformed) = check(counts, from, end)
    val position = TopicPosition(
      end.json(topic.name), last.topic.fold(0L)(_.malformed) + malformed, started)
    val next = last.copy(nullKeys = last.nullKeys + nullKeys, topic = Some(position))
    if (number == 0) next
    else {
      val version = applied(changes(folder), last, draft)
      remove(draft, _ == NEW)
      next.copy(name = "", number = 0, fingerprint = fingerprint(position.offsets),
        rows = version.rows, bytes = None, base = version.base)
    }
  }

  /** Writes the changes of the base, or all rows if they are many; returns rows and base. */
  private def applied(news: classic.DataFrame, last: Version, draft: Path): Version = {
    val base = last.base.flatMap(snapshots.find).getOrElse(last)
    val before = last.base.map(_ => changes(snapshots.path(last)))
    val all = before.fold(news)(
      _.join(functions.broadcast(news), keys, "left_anti").select(columns: _*).union(news))
    val (number, upserts) = write(all, draft)
    if (number > base.rows.getOrElse(0L) / REBASE) {
      remove(draft, name => !name.startsWith("_"))
      val rows = frameOf(last).join(news.select(names: _*), keys, "left_anti")
        .select(columns.init: _*)
      writeRows(rows.union(news.where(!isDeleted).select(columns.init: _*)), draft)
    } else {
      val replaced = frameOf(base).select(names: _*)
        .join(functions.broadcast(changes(draft).select(names: _*)), keys, "left_semi").count()
      val count = base.rows.get - replaced + upserts
      SnapshotWriter.requireSize(id, options, count, 0)
      last.copy(rows = Some(count), base = Some(base.name))
    }
  }

  private def writeRows(rows: classic.DataFrame, draft: Path): Version = {
    val written = Observation()
    rows.observe(written, functions.count(functions.lit(1)).as(ROWS),
      SnapshotWriter.bytesOf(rows).as(BYTES)).write.mode("append").parquet(draft.toString)
    val count = written.get(ROWS).asInstanceOf[Long]
    SnapshotWriter.requireSize(
      id, options, count, Option(written.get(BYTES)).fold(0L)(_.asInstanceOf[Long]))
    Version(name = "", number = 0, fingerprint = "", rows = Some(count))
  }

  /** Writes changes; returns the number of all and of those that are no tombstones. */
  private def write(rows: classic.DataFrame, folder: Path): (Long, Long) = {
    val written = Observation()
    rows.coalesce(FILES).observe(written, functions.count(functions.lit(1)).as(ROWS),
      functions.count_if(!isDeleted).as(UPSERTS)).write.mode("append").parquet(folder.toString)
    (written.get(ROWS).asInstanceOf[Long], written.get(UPSERTS).asInstanceOf[Long])
  }

  /** Removes the files and folders of a draft that have such names. */
  private def remove(draft: Path, isGone: String => Boolean): Unit = {
    val files = draft.getFileSystem(session.sessionState.newHadoopConf())
    files.listStatus(draft).map(_.getPath).filter(path => isGone(path.getName))
      .foreach(files.delete(_, true))
  }

  private def observed(
      from: TopicOffsets, end: TopicOffsets): (classic.DataFrame, Observation) = {
    val counts = Observation()
    val read = records.read(from, end).observe(counts,
      functions.count(functions.lit(1)).as(ROWS),
      functions.count_if(functions.col(TopicRecords.HAS_NULL_KEY)).as(NULL_KEYS),
      functions.count_if(functions.col(TopicRecords.IS_MALFORMED)).as(MALFORMED))
    (read, counts)
  }

  /** Returns the numbers of records with a NULL key and of malformed ones, if those may be. */
  private def check(
      counts: Observation, from: TopicOffsets, end: TopicOffsets): (Long, Long) = {
    def count(name: String) = counts.get(name).asInstanceOf[Long]
    onRead(count(ROWS))
    if (count(MALFORMED) > 0 && topic.mode == FailFastMode) {
      val Array(first) = records.read(from, end)
        .where(functions.col(TopicRecords.IS_MALFORMED))
        .select(TopicRecords.PARTITION, TopicRecords.OFFSET).take(1)
      throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.MALFORMED_RECORD",
        Map(
          "table" -> id.shortName, "topic" -> topic.name,
          "partition" -> first.getInt(0).toString, "offset" -> first.getLong(1).toString,
          "key" -> topic.keyFormat.name, "value" -> topic.valueFormat.name))
    }
    (count(NULL_KEYS), count(MALFORMED))
  }

  private def frameOf(version: Version): classic.DataFrame = SessionInternals.frame(session,
    SnapshotRelation.of(snapshots, version, keys, toAttributes(rowType), session).get)

  private def changes(folder: Path): classic.DataFrame =
    session.read.schema(rowType.add(ChangedRelation.IS_DELETED, BooleanType))
      .parquet(folder.toString)

  private def rowType: StructType = StructType(topic.columns.map(_.copy(nullable = true)))

  private def names: Seq[Column] = keys.map(key => functions.col(quoteIfNeeded(key)))

  /** The columns of a change in the order in which they are stored. */
  private def columns: Seq[Column] =
    (topic.columns.fieldNames.toSeq :+ ChangedRelation.IS_DELETED)
      .map(name => functions.col(quoteIfNeeded(name)))

  private def isDeleted: Column = functions.col(ChangedRelation.IS_DELETED)
}

private object TopicSnapshotWriter {
  private val ROWS = "rows"
  private val BYTES = "bytes"
  private val UPSERTS = "upserts"
  private val NULL_KEYS = "nullKeys"
  private val MALFORMED = "malformed"

  /** The folder of the new changes in a draft; readers of Parquet ignore such a name. */
  private val NEW = "_new"

  /** The part of the rows of a base above which changes of it are written as all rows. */
  private val REBASE = 10
  private val FILES = 1
}
