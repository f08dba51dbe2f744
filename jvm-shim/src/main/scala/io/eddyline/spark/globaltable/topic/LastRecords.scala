package io.eddyline.spark.globaltable.topic

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.util.FailFastMode

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.GlobalTableOptions
import io.eddyline.spark.globaltable.version.SizeLimit

/**
 * Keeps the last record of each key.
 *
 * In a partition the last record wins, whatever its timestamp, as in a table of Kafka Streams.
 * Among partitions, whose records have no order, the newest timestamp wins.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.MALFORMED_RECORD, and TOO_LARGE as soon as a limit is exceeded.
 *
 * @param table the name of the table, for errors
 * @param before the rows that the records change
 * @param decode decodes the records
 */
private[globaltable] class LastRecords(
    topic: TopicDefinition,
    table: String,
    options: GlobalTableOptions,
    before: KeyedRows,
    key: TopicKey,
    decode: RecordDecoder) {
  import LastRecords._

  private var last = key.emptyMap[Last]
  private var rows = before.byKey.size.toLong
  private var bytes = before.bytes
  private var _count, _nullKeys, _malformed = 0L

  /** The number of records. */
  def count: Long = _count

  /** The number of records with a NULL in the primary key. */
  def nullKeys: Long = _nullKeys

  /** The number of records that cannot be read. */
  def malformed: Long = _malformed

  /** The change of each key that has another row now, or none any more. */
  def changes: Iterable[(InternalRow, Change)] = last.view.mapValues(_.newest.change)
    .filter { case (key, change) => !change.isDeleted || before.byKey.contains(key) }

  /** Takes the next record, a row of [[RecordDecoder.SCHEMA]]. */
  def add(record: InternalRow): Unit = {
    val decoded = decode(record)
    _count += 1
    if (decoded.hasNullKey) _nullKeys += 1
    if (decoded.isMalformed) {
      if (topic.mode == FailFastMode) throw malformedRecord(record)
      _malformed += 1
    }
    decoded.change.foreach(put(_, record.getInt(partitionAt), record.getLong(timestampAt)))
  }

  private def put(change: Change, partition: Int, timestamp: Long): Unit = {
    val rowKey = key.of(change.row)
    val found = last.get(rowKey)
    val others = found.fold(List.empty[Last])(last => last.copy(others = Nil) :: last.others)
    val next = Last(change, partition, timestamp, others.filter(_.partition != partition))
    last = last.updated(rowKey, next)
    val (oldRow, newRow) = (found.fold(before.byKey.get(rowKey))(_.row), next.row)
    rows += newRow.size - oldRow.size // 1 for a row, 0 for none
    bytes += KeyedRows.sizeOf(newRow) - KeyedRows.sizeOf(oldRow)
    if (rows > options.maxRows) throw tooLarge("rows", "MAX ROWS", options.maxRows)
    if (bytes > options.maxBytes) throw tooLarge("bytes of rows", "MAX BYTES", options.maxBytes)
  }

  private def tooLarge(unit: String, limit: String, most: Long): Throwable =
    SizeLimit.exceeded(table, s"more than $most $unit", s"$limit $most")

  private def malformedRecord(record: InternalRow): Throwable =
    EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.MALFORMED_RECORD",
      Map(
        "table" -> table, "topic" -> topic.name,
        "partition" -> record.getInt(partitionAt).toString,
        "offset" -> record.getLong(offsetAt).toString,
        "key" -> topic.keyFormat.name, "value" -> topic.valueFormat.name))
}

private object LastRecords {
  private val Seq(partitionAt, offsetAt, timestampAt) =
    Seq("partition", "offset", "timestamp").map(RecordDecoder.SCHEMA.fieldIndex)

  /**
   * The last record of a key in a partition.
   *
   * @param others the last ones in other partitions
   */
  private case class Last(change: Change, partition: Int, timestamp: Long, others: List[Last]) {
    def newest: Last = (this :: others).maxBy(last => (last.timestamp, last.partition))

    /** The row of the key; None: it has none. */
    def row: Option[UnsafeRow] = Option.when(!newest.change.isDeleted)(newest.change.row)
  }
}
