package io.eddyline.spark.globaltable.topic

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.PermissiveMode
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.functions.{coalesce, col}
import org.apache.spark.sql.types.StructType

/** Decodes records of a topic on the driver, by the expressions that a query would have. */
private[globaltable] class RecordDecoder(topic: TopicDefinition, session: SparkSession) {
  import RecordDecoder._

  private val decode = compile(plan)
  private val rowOf = UnsafeProjection.create(topic.columns)

  /** Decodes a row of [[RecordDecoder.SCHEMA]]. */
  def apply(record: InternalRow): DecodedRecord = {
    val decoded = decode(record)
    val flags = topic.columns.length
    val (hasNullKey, isMalformed) = (decoded.getBoolean(flags + 2), decoded.getBoolean(flags + 3))
    val isUsable = decoded.getBoolean(flags) && !hasNullKey &&
      (topic.mode == PermissiveMode || !isMalformed)
    DecodedRecord(
      Option.when(isUsable)(Change(rowOf(decoded).copy(), decoded.getBoolean(flags + 1))),
      hasNullKey, isMalformed)
  }

  /**
   * The columns of the table, NULL where they cannot be read; then whether there is a key, whether
   * it is deleted, whether it has a NULL in it, and whether the record is malformed.
   */
  private def plan: LogicalPlan = {
    val (key, value) = (col("key"), col("value"))
    val records =
      LogicalRDD(toAttributes(SCHEMA), session.sparkContext.emptyRDD[InternalRow])(session)
    val parsed = SessionInternals.frame(session, records).select(
      key.isNull.as("noKey"),
      value.isNull.as("deleted"),
      topic.keyFormat.strict(key, topic.keyColumns).as("key"),
      topic.valueFormat.strict(value, topic.valueColumns).as("value"),
      value.as("bytes"))
    val keyIsBad = !col("noKey") && key.isNull
    val valueIsBad = !col("deleted") && value.isNull
    val readable = topic.valueFormat.permissive(col("bytes"), topic.valueColumns)
    val shown = if (topic.mode == PermissiveMode) coalesce(value, readable) else value
    val columns = topic.columns.map { column =>
      (if (topic.keyColumns.contains(column)) key else shown).getField(column.name)
    }
    val isNullKey = topic.keyColumns.map(column => key.getField(column.name).isNull).reduce(_ || _)
    parsed.select(columns ++
        Seq(key.isNotNull, col("deleted"), !keyIsBad && isNullKey, keyIsBad || valueIsBad): _*)
      .queryExecution.optimizedPlan
  }
}

private[globaltable] object RecordDecoder {

  /** The columns of a record, as [[io.eddyline.spark.kafka.TopicConsumer.poll]] returns it. */
  val SCHEMA: StructType = StructType.fromDDL(
    "key BINARY, value BINARY, partition INT, offset BIGINT, timestamp TIMESTAMP")

  /** Returns what projections over one leaf do with a row; the result is reused. */
  private def compile(plan: LogicalPlan): InternalRow => InternalRow = plan match {
    case Project(columns, child) =>
      val (below, project) = (compile(child), UnsafeProjection.create(columns, child.output))
      row => project(below(row))
    case _: LeafNode => identity
  }
}

/**
 * What a record says of its key.
 *
 * @param row the row of the key; of a tombstone only the columns of the key are not NULL
 * @param isDeleted whether the record is a tombstone
 */
private[globaltable] case class Change(row: UnsafeRow, isDeleted: Boolean)

/**
 * A record whose key and value were read.
 *
 * @param change None: it makes no row and deletes none
 * @param hasNullKey whether a column of the primary key is NULL
 * @param isMalformed whether the key or the value cannot be read
 */
private[globaltable] case class DecodedRecord(
    change: Option[Change], hasNullKey: Boolean, isMalformed: Boolean)
