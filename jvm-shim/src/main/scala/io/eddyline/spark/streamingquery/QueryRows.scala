package io.eddyline.spark.streamingquery

import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.types._

import io.eddyline.spark.base.{DescriptionRows, Redaction}
import io.eddyline.spark.emit.aggregate.EmitMetrics
import io.eddyline.spark.streamingquery.store.StoredQuery
import io.eddyline.spark.streamingquery.validation.Difference

/** The rows that statements about streaming queries return, and their schemas. */
private[streamingquery] object QueryRows {

  /** The schema of START, STOP, RESTART, DROP and AWAIT STREAMING QUERY. */
  val CONTROL: StructType = StructType.fromDDL(
    "name STRING, status STRING, id STRING, run_id STRING, checkpoint STRING")

  /** The schema of SHOW STREAMING QUERIES; rates and state are of the last micro-batch. */
  val OVERVIEW: StructType = StructType.fromDDL(
    """name STRING, status STRING, target STRING, trigger STRING, batch BIGINT, batch_ms BIGINT,
      |input_rows_per_second DOUBLE, dropped BIGINT, state_rows BIGINT, state_bytes BIGINT,
      |watermark TIMESTAMP, started TIMESTAMP, `user` STRING, comment STRING,
      |last_error STRING, persistent BOOLEAN""".stripMargin)

  /** The schema of SHOW STREAMING QUERY PROGRESS: one row per micro-batch. */
  val PROGRESS: StructType = StructType.fromDDL(
    """batch BIGINT, started TIMESTAMP, batch_ms BIGINT, input_rows BIGINT, emitted BIGINT,
      |dropped BIGINT, dropped_per_second DOUBLE, state_rows BIGINT, state_bytes BIGINT,
      |watermark TIMESTAMP""".stripMargin)

  /** The schema of VALIDATE STREAMING QUERY. */
  val DIFFERENCES: StructType = StructType.fromDDL(
    "part STRING, before STRING, after STRING, verdict STRING, reason STRING")

  def control(query: ManagedStreamingQuery): Row = Row(
    query.name, query.status.name, query.id.orNull, query.runId.orNull,
    query.redact(query.checkpoint))

  /** The row of a query that DROP has removed; no id: it did not run in this application. */
  def dropped(
      name: String, id: Option[String], runId: Option[String], checkpoint: Option[String]): Row =
    Row(name, "DROPPED", id.orNull, runId.orNull, checkpoint.orNull)

  def overview(query: ManagedStreamingQuery): Row = {
    val batches = query.progress
    val last = batches.lastOption
    Row(
      query.name,
      query.status.name,
      query.redact(query.definition.sink.tableName),
      query.definition.trigger.sql.orNull,
      last.map(_.batchId).orNull,
      last.map(_.batchDuration).orNull,
      last.map(_.inputRowsPerSecond).filterNot(rate => rate.isNaN || rate.isInfinite).orNull,
      batches.map(dropped).sum,
      last.map(stateRows).orNull,
      last.map(stateBytes).orNull,
      last.flatMap(watermark).orNull,
      query.started.orNull,
      query.user,
      query.definition.comment.map(query.redact).orNull,
      query.lastError.orNull,
      query.isPersistent)
  }

  private def redacted(text: String): String =
    Option(text).map(Redaction.text(SQLConf.get, _)).orNull

  /**
   * The row of SHOW STREAMING QUERIES for a stored query that this application does not have.
   *
   * @param name its name, in lower case; the folder of the definitions if that cannot be read
   * @param stored its definition; None if it cannot be read
   * @param target the table into which it writes; None if its definition cannot be loaded
   * @param error why it could not be loaded or does not run any more; None: neither was tried
   */
  def unloaded(
      name: String,
      stored: Option[StoredQuery],
      target: Option[String],
      status: QueryStatus,
      error: Option[Throwable]): Row = {
    val known = Map[String, Any](
      "name" -> stored.fold(name)(_.name),
      "status" -> status.name,
      "target" -> target.map(redacted).orNull,
      "user" -> stored.map(_.user).orNull,
      "comment" -> stored.flatMap(_.comment).map(redacted).orNull,
      "last_error" -> error.map(error => redacted(error.getMessage)).orNull,
      "persistent" -> true)
    Row.fromSeq(OVERVIEW.fieldNames.toSeq.map {
      case "dropped" => 0L
      case field => known.getOrElse(field, null)
    })
  }

  def progress(batch: StreamingQueryProgress): Row = {
    val seconds = batch.batchDuration / 1000.0
    Row(
      batch.batchId,
      Instant.parse(batch.timestamp),
      batch.batchDuration,
      batch.numInputRows,
      EmitMetrics.of(batch, EmitMetrics.EMITTED).headOption.orNull,
      dropped(batch),
      if (seconds > 0) dropped(batch) / seconds else 0.0,
      stateRows(batch),
      stateBytes(batch),
      watermark(batch).orNull)
  }

  def description(query: ManagedStreamingQuery): Seq[Row] = DescriptionRows.of(
    overview(query),
    OVERVIEW,
    Seq(
      "id" -> query.id.orNull,
      "run_id" -> query.runId.orNull,
      "checkpoint" -> query.redact(query.checkpoint),
      "options" -> query.options.map { case (key, value) => s"$key=$value" }.mkString(", "),
      "statement" -> query.sql))

  def difference(difference: Difference): Row = Row(
    difference.part, difference.before.orNull, difference.after.orNull, difference.verdict,
    difference.reason)

  private def dropped(batch: StreamingQueryProgress): Long =
    EmitMetrics.of(batch, EmitMetrics.DROPPED).sum

  private def stateRows(batch: StreamingQueryProgress): Long =
    batch.stateOperators.map(_.numRowsTotal).sum

  private def stateBytes(batch: StreamingQueryProgress): Long =
    batch.stateOperators.map(_.memoryUsedBytes).sum

  private def watermark(batch: StreamingQueryProgress): Option[Instant] =
    batch.eventTime.asScala.get("watermark").map(Instant.parse).filter(_.isAfter(Instant.EPOCH))
}
