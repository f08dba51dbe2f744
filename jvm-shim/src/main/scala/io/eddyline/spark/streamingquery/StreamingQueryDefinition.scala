package io.eddyline.spark.streamingquery

import java.time.Duration

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.{quoteIdentifier, quoteIfNeeded}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.Trigger

import io.eddyline.spark.base.{Intervals, Redaction, RowsCommand}

/**
 * The content of a START or CREATE STREAMING QUERY statement.
 *
 * @param query the parsed query, which is resolved again at each start
 * @param text the query as typed
 * @param place position of the name in the statement, for errors
 */
case class StreamingQueryDefinition(
    name: String,
    trigger: TriggerSpec,
    checkpoint: Option[String],
    options: Map[String, String],
    comment: Option[String],
    sink: TableSink,
    query: LogicalPlan,
    text: String,
    place: Origin) {

  /** Whether records are processed when they come, and not in micro-batches. */
  def isRealTime: Boolean = trigger.isInstanceOf[TriggerSpec.RealTime]

  /** The options that are confs of the query's session. */
  def confs: Map[String, String] = options.filter(isConf)

  def writerOptions: Map[String, String] = options.filterNot(isConf)

  private def isConf(option: (String, String)): Boolean = option._1.startsWith("spark.")

  /** Removes this query's secrets from a text. */
  def redact(conf: SQLConf, text: String): String =
    Redaction.text(conf, text, Redaction.secrets(conf, options, this.text))

  /** The START statement of this query, without secrets. */
  def sql(conf: SQLConf): String = {
    val pairs = Redaction.options(conf, options).map { case (key, value) =>
      s"${Literal(key).sql} ${Literal(value).sql}"
    }
    Seq(
      Some(s"START STREAMING QUERY ${quoteIfNeeded(name)}"),
      trigger.sql.map(text => s"TRIGGER $text"),
      checkpoint.map(path => s"CHECKPOINT ${Literal(redact(conf, path)).sql}"),
      if (pairs.isEmpty) None else Some(pairs.mkString("OPTIONS (", ", ", ")")),
      comment.map(text => s"COMMENT ${Literal(redact(conf, text)).sql}"),
      Some(s"AS ${redact(conf, sink.sql)}"),
      Some(Redaction.statement(conf, text))).flatten.mkString("\n")
  }
}

/** A parsed statement that defines a streaming query. */
trait DefinesStreamingQuery extends RowsCommand {
  def definition: StreamingQueryDefinition

  /** Prints only the name in plans and in the UI: options may contain secrets. */
  override protected def stringArgs: Iterator[Any] = Iterator(definition.name)
}

/** The trigger of a query: when it starts a micro-batch. */
sealed trait TriggerSpec {
  def sql: Option[String] // after the word TRIGGER; None if there is no such clause
  def spark: Trigger
}

object TriggerSpec {

  /** Starts a micro-batch as soon as the one before has ended. */
  case object AsSoonAsPossible extends TriggerSpec {
    override def sql: Option[String] = None
    override def spark: Trigger = Trigger.ProcessingTime(0)
  }

  case class Every(interval: Duration) extends TriggerSpec {
    override def sql: Option[String] = Some(s"EVERY ${Intervals.sql(interval)}")
    override def spark: Trigger = Trigger.ProcessingTime(interval.toMillis)
  }

  /**
   * Processes each record when it comes, in micro-batches that last long (Spark's real-time mode).
   *
   * @param duration how long a micro-batch lasts; None: Spark's default
   */
  case class RealTime(duration: Option[Duration]) extends TriggerSpec {
    override def sql: Option[String] = Some("REAL TIME" + duration.fold("")(" " + Intervals.sql(_)))
    override def spark: Trigger =
      duration.fold(Trigger.RealTime())(time => Trigger.RealTime(time.toMillis))
  }

  case object AvailableNow extends TriggerSpec {
    override def sql: Option[String] = Some("AVAILABLE NOW")
    override def spark: Trigger = Trigger.AvailableNow()
  }
}

/**
 * What CREATE STREAMING QUERY does if the query exists.
 *
 * @param replaces whether the new query replaces it
 * @param resets whether the new query begins without the state in the checkpoint
 */
sealed abstract class CreateMode(val replaces: Boolean, val resets: Boolean)

object CreateMode {
  case object New extends CreateMode(replaces = false, resets = false)
  case object IfNotExists extends CreateMode(replaces = false, resets = false)
  case class OrReplace(resetsCheckpoint: Boolean)
    extends CreateMode(replaces = true, resets = resetsCheckpoint)
}

/**
 * The target of a query.
 *
 * @param table the parsed name of the target table
 * @param columns the columns listed after the table; empty if none were
 * @param byName whether columns are matched by name and not by position
 * @param batchId the column for the number of the micro-batch; None: no column
 * @param key the columns by which UPSERT INTO merges; empty: INSERT INTO
 */
case class TableSink(
    table: UnresolvedRelation,
    columns: Seq[String],
    byName: Boolean,
    batchId: Option[String],
    key: Seq[UnresolvedAttribute]) {

  def name: Seq[String] = table.multipartIdentifier

  def keyNames: Seq[String] = key.map(_.nameParts.last)

  def tableName: String = name.map(quoteIfNeeded).mkString(".")

  def sql: String = {
    val list = if (columns.isEmpty) "" else columns.map(quoteIdentifier).mkString(" (", ", ", ")")
    val matching = if (byName) " BY NAME" else ""
    val batch = batchId.fold("")(column => s" WITH BATCH ID ${quoteIfNeeded(column)}")
    if (key.isEmpty) s"INSERT INTO $tableName$list$matching$batch"
    else {
      val by = keyNames.map(quoteIdentifier).mkString("(", ", ", ")")
      s"UPSERT INTO $tableName KEY $by$batch"
    }
  }
}
