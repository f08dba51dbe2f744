package io.eddyline.spark.streamingquery

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.{FunctionTableSubqueryArgumentExpression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments}

/**
 * Reads `SELECT * FROM __eddyline_start_streaming_query(name => …, target => TABLE(table), text =>
 * X'…', query => TABLE(query), …)` and `SELECT * FROM __eddyline_streaming_query(action => …, name
 * => …)`, each a whole statement. The lowering added the `SELECT *`, which is dropped. A name is a
 * literal, or `TABLE(IDENTIFIER(…))`.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.INVALID_INTERVAL, INVALID_NAME, NAME_WITH_NUL.
 */
object StreamingQueryPlaceholder extends Placeholder {
  private val START = "__eddyline_start_streaming_query"
  private val CONTROL = "__eddyline_streaming_query"
  private val CONDITION = "EDDYLINE_STREAMING_QUERY"

  override def statement(
      call: PlaceholderArguments, lowered: String => String): Option[LogicalPlan] =
    call.function match {
      case START => Some(start(call))
      case CONTROL => Some(control(call))
      case _ => None
    }

  /** Reads START; or CREATE or its validation, which have the argument `statement`. */
  private def start(arguments: PlaceholderArguments): LogicalPlan = {
    val target = sink(arguments)
    val definition = StreamingQueryDefinition(
      newName(arguments), trigger(arguments), arguments.text("checkpoint"),
      arguments.pairs("options").toMap, arguments.text("comment"), target,
      arguments.table("query"), arguments.typedText("text"), arguments.place("name"))
    val ifNotExists = arguments.contains("if_not_exists")
    lazy val statement = arguments.typedText("statement")
    if (arguments.contains("validate")) ValidateStreamingQueryCommand(definition, statement)
    else if (arguments.contains("statement")) {
      val mode =
        if (arguments.contains("or_replace")) {
          CreateMode.OrReplace(resetsCheckpoint = arguments.contains("reset_checkpoint"))
        } else if (ifNotExists) CreateMode.IfNotExists
        else CreateMode.New
      CreateStreamingQueryCommand(definition, statement, mode)
    } else StartStreamingQueryCommand(definition, ifNotExists)
  }

  /** Reads a statement about streaming queries that exist; `name` is missing in SHOW alone. */
  private def control(arguments: PlaceholderArguments): LogicalPlan = {
    lazy val query = name(arguments)
    val place = arguments.place("name")
    arguments.text("action") match {
      case Some("show") => ShowStreamingQueriesCommand
      case Some("await") =>
        AwaitStreamingQueryCommand(query, arguments.interval("timeout", CONDITION), place)
      case Some("describe") => DescribeStreamingQueryCommand(query, place)
      case Some("progress") => ShowStreamingQueryProgressCommand(query, place)
      case Some("explain") => ExplainStreamingQueryCommand(query, place)
      case Some("show_create") => ShowCreateStreamingQueryCommand(query, place)
      case other =>
        val action = other.flatMap(ControlAction.of).getOrElse(arguments.refused())
        ControlStreamingQueryCommand(action, query, place, arguments.contains("purge"))
    }
  }

  private def trigger(arguments: PlaceholderArguments): TriggerSpec =
    if (arguments.contains("available_now")) TriggerSpec.AvailableNow
    else if (arguments.contains("real_time")) TriggerSpec.RealTime(None)
    else {
      arguments.interval("batch", CONDITION).map(batch => TriggerSpec.RealTime(Some(batch)))
        .orElse(arguments.interval("every", CONDITION).map(TriggerSpec.Every))
        .getOrElse(TriggerSpec.AsSoonAsPossible)
    }

  /** Returns the name of a streaming query, which is the argument `name`. */
  private[spark] def name(arguments: PlaceholderArguments): String =
    arguments.expression("name") match {
      case Some(Literal(_: Array[Byte], _)) => arguments.typedText("name")
      case Some(_: FunctionTableSubqueryArgumentExpression) => arguments.table("name") match {
          case UnresolvedRelation(Seq(name), _, _) => name
          case notOnePart => invalidName(notOnePart)
        }
      case _ => arguments.text("name").getOrElse(arguments.refused())
    }

  /** Returns the name of a new query; logs and names of files, which have it too, take no NUL. */
  private def newName(arguments: PlaceholderArguments): String = {
    val found = name(arguments)
    if (found.contains('\u0000')) {
      EddylineErrors.fail(s"$CONDITION.NAME_WITH_NUL", arguments.place("name"),
        "name" -> found.replace("\u0000", "\\0"))
    }
    found
  }

  private def sink(arguments: PlaceholderArguments): TableSink = arguments.table("target") match {
    case relation: UnresolvedRelation => TableSink(
        relation,
        arguments.columns("columns").map(_.nameParts.last),
        arguments.contains("by_name"),
        arguments.columns("batch_id").headOption.map(_.nameParts.last),
        arguments.columns("upsert_key"))
    case other => invalidName(other)
  }

  private def invalidName(found: LogicalPlan): Nothing =
    EddylineErrors.fail(s"$CONDITION.INVALID_NAME", found.origin)
}
