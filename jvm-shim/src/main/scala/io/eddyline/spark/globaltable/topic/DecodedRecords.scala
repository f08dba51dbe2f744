package io.eddyline.spark.globaltable.topic

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

/**
 * Records of a topic that the driver has decoded.
 *
 * @param records rows of the columns of the table, then [[DecodedRecords.NAMES]] and
 *                [[DecodedRecords.USABLE]]
 */
private[globaltable] class DecodedRecords(records: Seq[InternalRow], schema: StructType) {
  import DecodedRecords._

  val counts: RecordCounts = {
    val malformed = records.filter(isTrue(_, IS_MALFORMED))
    RecordCounts(records.length, records.count(isTrue(_, HAS_NULL_KEY)), malformed.length,
      malformed.map(record => (partition(record), offset(record))).minOption)
  }

  /**
   * Returns the last record of each key, as [[TopicRecords.last]] does.
   *
   * @param keyOf returns the key of a row, equal by its bytes
   */
  def last(keyOf: InternalRow => UnsafeRow): Map[UnsafeRow, UnsafeRow] = {
    val width = at(IS_DELETED) + 1
    val change = UnsafeProjection.create(schema.take(width).zipWithIndex.map {
      case (field, at) => BoundReference(at, field.dataType, field.nullable)
    })
    records.filter(isTrue(_, USABLE)).groupBy(keyOf).map { case (key, found) =>
      val newest = found.groupBy(partition).values.map(_.maxBy(offset))
        .maxBy(record => (record.getLong(at(TIMESTAMP)), partition(record)))
      key -> change(newest).copy()
    }
  }

  private def partition(record: InternalRow): Int = record.getInt(at(PARTITION))

  private def offset(record: InternalRow): Long = record.getLong(at(OFFSET))

  private def isTrue(record: InternalRow, name: String): Boolean =
    record.getBoolean(at(name))

  /** The place of a column that is not of the table, whose columns may have any name. */
  private def at(name: String): Int = {
    val names = NAMES :+ USABLE
    schema.length - names.length + names.indexOf(name)
  }
}

private[globaltable] object DecodedRecords {
  private[topic] val PREFIX = "__eddyline_"

  /** Whether a change deletes the row of its key: the record is a tombstone. */
  val IS_DELETED = s"${PREFIX}deleted"

  /** Whether the key or the value of a record cannot be read. */
  val IS_MALFORMED = s"${PREFIX}malformed"

  /** Whether a column of the primary key is NULL. */
  val HAS_NULL_KEY = s"${PREFIX}null_key"

  val PARTITION = s"${PREFIX}partition"
  val OFFSET = s"${PREFIX}offset"
  val TIMESTAMP = s"${PREFIX}timestamp"

  /** Whether a record changes a row. */
  val USABLE = s"${PREFIX}usable"

  /** The columns of [[TopicRecords.read]] beside those of the table; the first is of a change. */
  val NAMES: Seq[String] =
    Seq(IS_DELETED, PARTITION, OFFSET, TIMESTAMP, HAS_NULL_KEY, IS_MALFORMED)
}

/**
 * How many records were read, and what is wrong with them.
 *
 * @param nullKeys number of records with a NULL in the key
 * @param malformed number of records that cannot be read
 * @param firstMalformed partition and offset of the first of these
 */
private[globaltable] case class RecordCounts(
    records: Long,
    nullKeys: Long,
    malformed: Long,
    firstMalformed: Option[(Int, Long)])
