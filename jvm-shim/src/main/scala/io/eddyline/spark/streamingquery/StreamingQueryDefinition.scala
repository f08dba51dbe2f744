package io.eddyline.spark.streamingquery

import java.time.Duration

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
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
    pace: Pace,
    checkpoint: Option[String],
    options: Map[String, String],
    comment: Option[String],
    sink: TableSink,
    query: LogicalPlan,
    text: String,
    place: Origin) {

  /** Whether records are processed when they come, and not in micro-batches. */
  def isRealTime: Boolean = pace.isInstanceOf[Pace.RealTime]

  /** The options that are confs of the query's session. */
  def confs: Map[String, String] = options.filter(isConf)

  def writerOptions: Map[String, String] = options.filterNot(isConf)

  private def isConf(option: (String, String)): Boolean = option._1.startsWith("spark.")

  /** Removes this query's secrets from a text. */
  def shown(conf: SQLConf, text: String): String =
    Redaction.text(conf, text, Redaction.secrets(conf, options, this.text))

  /** The statement that starts this query, without secrets. */
  def sql(conf: SQLConf): String = {
    val pairs = Redaction.options(conf, options).map { case (key, value) =>
      s"${Literal(key).sql} ${Literal(value).sql}"
    }
    Seq(
      Some(s"START STREAMING QUERY ${quoteIfNeeded(name)}"),
      pace.sql.map(pace => s"TRIGGER $pace"),
      checkpoint.map(path => s"CHECKPOINT ${Literal(shown(conf, path)).sql}"),
      if (pairs.isEmpty) None else Some(pairs.mkString("OPTIONS (", ", ", ")")),
      comment.map(text => s"COMMENT ${Literal(shown(conf, text)).sql}"),
      Some(s"AS ${shown(conf, sink.sql)}"),
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
sealed trait Pace {
  def sql: Option[String]
  def trigger: Trigger
}

object Pace {

  /** Starts a micro-batch as soon as the one before has ended. */
  case object AsSoonAsPossible extends Pace {
    override def sql: Option[String] = None
    override def trigger: Trigger = Trigger.ProcessingTime(0)
  }

  case class Every(interval: Duration) extends Pace {
    override def sql: Option[String] = Some(s"EVERY ${Intervals.sql(interval)}")
    override def trigger: Trigger = Trigger.ProcessingTime(interval.toMillis)
  }

  /**
   * Processes each record when it comes, in micro-batches that last long (Spark's real-time mode).
   *
   * @param duration how long a micro-batch lasts; None: Spark's default
   */
  case class RealTime(duration: Option[Duration]) extends Pace {
    override def sql: Option[String] =
      Some("REAL TIME" + duration.fold("")(" " + Intervals.sql(_)))
    override def trigger: Trigger =
      duration.fold(Trigger.RealTime())(time => Trigger.RealTime(time.toMillis))
  }

  case object AvailableNow extends Pace {
    override def sql: Option[String] = Some("AVAILABLE NOW")
    override def trigger: Trigger = Trigger.AvailableNow()
  }
}
