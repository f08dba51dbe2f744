package io.eddyline.spark.streamingquery

import java.time.Duration

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.{quoteIdentifier, quoteIfNeeded}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.Trigger

import io.eddyline.spark.Intervals
import io.eddyline.spark.Redaction
import io.eddyline.spark.SqlText.literal

/**
 * What START STREAMING QUERY says.
 *
 * @param query as parsed: it is resolved again whenever the query starts
 * @param text of the query, as typed
 * @param place of the name, for errors
 */
case class StreamingQueryDefinition(
    name: String,
    pace: Pace,
    checkpoint: Option[String],
    options: Map[String, String],
    comment: Option[String],
    sink: InsertSink,
    query: LogicalPlan,
    text: String,
    place: Origin) {

  /** Confs of the query's session, among the options. */
  def confs: Map[String, String] = options.filter(isConf)

  def writerOptions: Map[String, String] = options.filterNot(isConf)

  private def isConf(option: (String, String)): Boolean = option._1.startsWith("spark.")

  /** A text about this query, without secrets. */
  def shown(conf: SQLConf, text: String): String =
    Redaction.text(conf, text, Redaction.secrets(conf, options, this.text))

  /** The statement that makes this query, without secrets. */
  def sql(conf: SQLConf): String = {
    val pairs = Redaction.options(conf, options).map { case (key, value) =>
      s"${literal(key)} ${literal(value)}"
    }
    Seq(
      Some(s"START STREAMING QUERY ${quoteIfNeeded(name)}"),
      pace.sql.map(pace => s"TRIGGER $pace"),
      checkpoint.map(path => s"CHECKPOINT ${literal(shown(conf, path))}"),
      if (pairs.isEmpty) None else Some(pairs.mkString("OPTIONS (", ", ", ")")),
      comment.map(text => s"COMMENT ${literal(shown(conf, text))}"),
      Some(s"AS ${sink.sql}"),
      Some(Redaction.statement(conf, text))).flatten.mkString("\n")
  }
}

/** When a query looks for new rows. */
sealed trait Pace {
  def sql: Option[String]
  def trigger: Trigger
}

object Pace {
  /** As soon as the micro-batch before is done. */
  case object AsSoonAsPossible extends Pace {
    override def sql: Option[String] = None
    override def trigger: Trigger = Trigger.ProcessingTime(0)
  }

  case class Every(interval: Duration) extends Pace {
    override def sql: Option[String] = Some(s"EVERY ${Intervals.sql(interval)}")
    override def trigger: Trigger = Trigger.ProcessingTime(interval.toMillis)
  }

  case object AvailableNow extends Pace {
    override def sql: Option[String] = Some("AVAILABLE NOW")
    override def trigger: Trigger = Trigger.AvailableNow()
  }
}

/**
 * Where a query writes.
 *
 * @param table as parsed
 * @param columns that were listed after the table
 * @param batchId the column that takes the number of the micro-batch
 */
case class InsertSink(
    table: UnresolvedRelation,
    columns: Seq[String],
    byName: Boolean,
    batchId: Option[String]) {

  def name: Seq[String] = table.multipartIdentifier

  def tableName: String = name.map(quoteIfNeeded).mkString(".")

  def sql: String = {
    val list = if (columns.isEmpty) "" else columns.map(quoteIdentifier).mkString(" (", ", ", ")")
    val matching = if (byName) " BY NAME" else ""
    val batch = batchId.fold("")(column => s" WITH BATCH ID ${quoteIfNeeded(column)}")
    s"INSERT INTO $tableName$list$matching$batch"
  }
}
