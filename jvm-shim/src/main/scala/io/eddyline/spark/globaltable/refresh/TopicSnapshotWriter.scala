package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{classic, functions, Observation, Row}
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.FailFastMode
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.topic._
import io.eddyline.spark.globaltable.version._
import io.eddyline.spark.kafka.TopicOffsets

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
  private val records = new TopicRecords(topic, session)
  private val keys = topic.keyColumns.fieldNames.toSeq
  private val writer = new ChangeWriter(source, topic.columns, keys, snapshots, session)
  private val driver = new DriverChanges(writer, session)

  /** A digest of a position and of how records become rows; equal digests mean equal rows. */
  def fingerprint(position: TopicPosition): String =
    Probe.digest((position.offsets +: position.topicId.toSeq) ++ Seq(topic.name,
      topic.keyFormat.toString, topic.valueFormat.toString, topic.mode.name, topic.columns.json,
      keys.toString, source.relation.settings.toSeq.sorted.mkString))

  /** Returns the position at an end of the topic, before which records were malformed. */
  def position(end: TopicEnd, malformed: Long = 0): TopicPosition =
    TopicPosition(end.offsets.json(topic.name), malformed, started, end.topicId)

  /** Writes all rows up to `end` into `draft`. */
  def writeAll(draft: Path, end: TopicEnd): Version = {
    val (read, counts) = observed(TopicOffsets.START, end.offsets)
    val rows = records.last(read).where(!writer.isDeleted).drop(writer.deleted.name)
    whole(end, writer.writeRows(rows, draft))(checked(countsOf(counts)))
  }

  /**
   * Does what `writeAll` does, but without a job. None: the driver cannot tell the keys apart, or
   * the records are many.
   *
   * @param read returns all records up to `end`; None: they are many
   */
  def writeAllOfFew(draft: Path, end: TopicEnd)(
      read: => Option[LocalRelation]): Option[(Version, WrittenRows)] =
    if (!driver.knowsKeys) None
    else read.map(records.decode).map { records =>
      val (version, written) = driver.writeAll(records.last(driver.keyOf).values, draft)
      whole(end, version)(checked(records.counts)) -> written
    }

  /**
   * Writes a version that has the changes since `last` too, either as all rows or as changes of its
   * base. Returns `last` at the new position if no row has changed, and then nothing is to publish.
   */
  def writeChanges(draft: Path, last: Version, from: TopicOffsets, end: TopicEnd): Version = {
    val (read, counts) = observed(from, end.offsets)
    val number = writer.stage(records.last(read), draft)
    val found = checked(countsOf(counts))
    at(end, last, found)(if (number == 0) last else writer.apply(last, draft, number))
  }

  /**
   * Does what `writeChanges` does, but without a job. None: the version is large, or the changes
   * are many.
   *
   * @param known what the driver knows, perhaps of another version
   * @param read returns the records since `last`; None: they are many
   */
  def writeFew(draft: Path, last: Version, known: Option[KnownVersion], end: TopicEnd)(
      read: => Option[LocalRelation]): Option[(Version, KnownVersion)] =
    if (!driver.isSmall(last)) None
    else {
      for {
        records <- read.map(records.decode)
        written <- driver(driver.knownOf(last, known), records.last(driver.keyOf), last, draft)
      } yield {
        val (version, next) = written
        at(end, last, checked(records.counts))(version) -> next
      }
    }

  /** Returns a version that has all rows itself, at its position in the topic. */
  private def whole(end: TopicEnd, version: Version)(found: RecordCounts): Version = {
    val position = this.position(end, found.malformed)
    version.copy(
      fingerprint = fingerprint(position), nullKeys = found.nullKeys, topic = Some(position))
  }

  /** Returns a version that follows `last`, at its position in the topic. */
  private def at(end: TopicEnd, last: Version, found: RecordCounts)(next: Version): Version = {
    val position = this.position(end, last.topic.fold(0L)(_.malformed) + found.malformed)
    val named = if (next eq last) last else next.copy(fingerprint = fingerprint(position))
    named.copy(nullKeys = last.nullKeys + found.nullKeys, topic = Some(position))
  }

  private def observed(
      from: TopicOffsets, end: TopicOffsets): (classic.DataFrame, Observation) = {
    val counts = Observation()
    val read = records.read(from, end).observe(counts,
      functions.count(functions.lit(1)).as(ROWS),
      functions.count_if(functions.col(DecodedRecords.HAS_NULL_KEY)).as(NULL_KEYS),
      functions.count_if(functions.col(DecodedRecords.IS_MALFORMED)).as(MALFORMED),
      functions.min(functions.when(functions.col(DecodedRecords.IS_MALFORMED),
          functions.struct(DecodedRecords.PARTITION, DecodedRecords.OFFSET))).as(FIRST))
    (read, counts)
  }

  private def countsOf(counts: Observation): RecordCounts = {
    def count(name: String) = counts.get(name).asInstanceOf[Long]
    val first = Option(counts.get(FIRST).asInstanceOf[Row])
    RecordCounts(count(ROWS), count(NULL_KEYS), count(MALFORMED),
      first.map(place => (place.getInt(0), place.getLong(1))))
  }

  /** Returns the counts, if there may be malformed records. */
  private def checked(counts: RecordCounts): RecordCounts = {
    onRead(counts.records)
    counts.firstMalformed.filter(_ => topic.mode == FailFastMode).foreach {
      case (partition, offset) =>
        EddylineErrors.fail("EDDYLINE_GLOBAL_TABLE.MALFORMED_RECORD", Origin(),
          "table" -> id.shortName, "topic" -> topic.name,
          "partition" -> partition.toString, "offset" -> offset.toString,
          "key" -> topic.keyFormat.name, "value" -> topic.valueFormat.name)
    }
    counts
  }
}

private object TopicSnapshotWriter {
  private val ROWS = "rows"
  private val NULL_KEYS = "nullKeys"
  private val MALFORMED = "malformed"

  /** The place of the first malformed record. */
  private val FIRST = "first"
}
