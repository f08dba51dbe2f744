package io.eddyline.spark.streamingquery

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

import io.eddyline.spark.{EddylineErrors, Intervals}
import io.eddyline.spark.parser.SelectStar

/**
 * Reads `SELECT * FROM __eddyline_start_streaming_query(name => …, target => TABLE(table), text =>
 * X'…', query => TABLE(query), …)` and `SELECT * FROM __eddyline_streaming_query(action => …, name
 * => …)`, each a whole statement. The `SELECT *` is the lowering's and goes.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.BAD_INTERVAL, UPSERT_NOT_SUPPORTED.
 */
object StreamingQueryPlaceholder {
  private val START = "__eddyline_start_streaming_query"
  private val OTHER = "__eddyline_streaming_query"

  /** The command of a statement, or the statement as it is. */
  def statement(plan: LogicalPlan): LogicalPlan = plan match {
    case SelectStar(f: UnresolvedTableValuedFunction) =>
      CurrentOrigin.withOrigin(f.origin) {
        f.name.map(_.toLowerCase(java.util.Locale.ROOT)) match {
          case Seq(START) => new Arguments(f).start
          case Seq(OTHER) => new Arguments(f).other
          case _ => plan
        }
      }
    case _ => plan
  }

  private class Arguments(f: UnresolvedTableValuedFunction) {
    private val values = f.functionArgs.collect {
      case NamedArgumentExpression(name, value) => name -> value
    }.toMap

    def start: LogicalPlan = {
      if (values.contains("upsert_key")) {
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.UPSERT_NOT_SUPPORTED",
          Map("table" -> target.tableName), target.table.origin)
      }
      val pace = interval("every", "TRIGGER EVERY").map(Pace.Every).getOrElse(
        if (values.contains("available_now")) Pace.AvailableNow else Pace.Continuous)
      StartStreamingQueryCommand(
        StreamingQueryDefinition(
          name, pace, text("checkpoint"), options, text("comment"), target,
          table("query"), queryText, place),
        values.contains("if_not_exists"))
    }

    def other: LogicalPlan = text("action") match {
      case Some("show") => ShowStreamingQueriesCommand
      case Some("await") => AwaitStreamingQueryCommand(name, interval("timeout", "TIMEOUT"), place)
      case Some("describe") => DescribeStreamingQueryCommand(name, place)
      case Some("progress") => ShowStreamingQueryProgressCommand(name, place)
      case Some("explain") => ExplainStreamingQueryCommand(name, place)
      case Some("show_create") => ShowCreateStreamingQueryCommand(name, place)
      case Some(action) => ControlStreamingQueryCommand(action, name, place)
      case None => refused()
    }

    private def name: String = text("name").getOrElse(refused())

    private def place: Origin = values.get("name").fold(f.origin)(_.origin)

    private def text(name: String): Option[String] =
      values.get(name).collect { case Literal(value, _) if value != null => value.toString }

    private def queryText: String = values.get("text") match {
      case Some(Literal(bytes: Array[Byte], _)) => new String(bytes, UTF_8)
      case _ => refused()
    }

    private def interval(name: String, clause: String): Option[Duration] =
      values.get(name).map { value =>
        Intervals.positive(value).getOrElse(
          throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.BAD_INTERVAL",
            Map("clause" -> clause, "interval" -> EddylineErrors.typed(value)), value.origin))
      }

    private def options: Map[String, String] =
      values.get("options").toSeq.flatMap(_.children).map {
        case cast: Cast => cast.child.toString
        case other => other.toString
      }.grouped(2).collect { case Seq(key, value) => key -> value }.toMap

    private def columns(name: String): Seq[String] =
      values.get(name).toSeq.flatMap(_.children).collect {
        case column: UnresolvedAttribute => column.nameParts.last
      }

    private def table(name: String): LogicalPlan = values.get(name) match {
      case Some(argument: FunctionTableSubqueryArgumentExpression) => argument.plan
      case _ => refused()
    }

    private lazy val target: InsertSink = table("target") match {
      case relation: UnresolvedRelation =>
        InsertSink(relation, columns("columns"), values.contains("by_name"),
          columns("batch_id").headOption)
      case _ => refused()
    }

    private def refused(): Nothing = throw EddylineErrors.analysis(
      "EDDYLINE_PLACEHOLDER", Map("name" -> f.name.mkString(".")), f.origin)
  }
}
