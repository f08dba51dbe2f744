package io.eddyline.spark.globaltable

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.Locale

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

import io.eddyline.spark.{EddylineErrors, Intervals}
import io.eddyline.spark.parser.SelectStar

/**
 * Reads what the lowering makes of statements about global tables, each a whole statement: `SELECT
 * * FROM __eddyline_create_global_table(…)`, `__eddyline_alter_global_table(…)` and
 * `__eddyline_global_table(action => …)`, and of the table form Spark's CREATE TABLE with the call
 * as an option.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.BAD_INTERVAL, FORMAT_NOT_SUPPORTED, LOCATION_TWICE, NAME,
 * PRIMARY_KEY_TWICE.
 */
object GlobalTablePlaceholder {
  private val CREATE = "__eddyline_create_global_table"
  private val ALTER = "__eddyline_alter_global_table"
  private val OTHER = "__eddyline_global_table"

  /** Formats whose rows are changes, and no table. */
  private val CHANGELOGS = Set("kafka")

  /** The command of a statement, or the statement as it is. */
  def statement(plan: LogicalPlan): LogicalPlan = plan match {
    case SelectStar(f: UnresolvedTableValuedFunction) =>
      val arguments = new Arguments(f.name.mkString("."), f.functionArgs, f.origin)
      CurrentOrigin.withOrigin(f.origin) {
        f.name.map(_.toLowerCase(Locale.ROOT)) match {
          case Seq(CREATE) => arguments.createView
          case Seq(ALTER) =>
            AlterGlobalTableCommand(arguments.name, arguments.changes, arguments.place)
          case Seq(OTHER) => arguments.other
          case _ => plan
        }
      }
    case CreateTable(_, _, _, spec: UnresolvedTableSpec, _)
      if spec.optionExpression.options.exists(_._1 == CREATE) => createTable(plan, spec)
    case _ => plan
  }

  private def createTable(plan: LogicalPlan, spec: UnresolvedTableSpec): LogicalPlan = {
    val (calls, _) = spec.optionExpression.options.partition(_._1 == CREATE)
    val call = calls.head._2 match {
      case f: UnresolvedFunction => new Arguments(CREATE, f.arguments, f.origin)
      case other => new Arguments(CREATE, Nil, other.origin)
    }
    val (paths, options) = call.pairs("options").partition(_._1.equalsIgnoreCase("path"))
    for (path <- paths.headOption; location <- spec.location) {
      throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.LOCATION_TWICE",
        Map("location" -> location, "path" -> path._2), plan.origin)
    }
    val (keys, constraints) = spec.constraints.partition(_.isInstanceOf[PrimaryKeyConstraint])
    val named = keys.collect { case key: PrimaryKeyConstraint => key.columns } ++
      Some(call.columns("primary_key")).filter(_.nonEmpty)
    if (named.size > 1) {
      throw EddylineErrors.analysis(
        "EDDYLINE_GLOBAL_TABLE.PRIMARY_KEY_TWICE", Map.empty, call.origin)
    }
    val create = plan.asInstanceOf[CreateTable]
    spec.provider.filter(CHANGELOGS).foreach { format =>
      throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.FORMAT_NOT_SUPPORTED",
        Map("format" -> format), create.name.origin)
    }
    CurrentOrigin.withOrigin(plan.origin) {
      CreateGlobalTableCommand(
        nameOf(create.name),
        call.changes.copy(primaryKey = named.headOption),
        TableForm(create.copy(
          tableSpec = spec.copy(
            optionExpression =
              OptionList(options.map { case (key, value) => key -> Literal(value) }),
            location = spec.location.orElse(paths.headOption.map(_._2)),
            comment = call.text("comment").orElse(spec.comment),
            properties = spec.properties ++ call.pairs("properties"),
            constraints = constraints))),
        create.ignoreIfExists,
        create.name.origin)
    }
  }

  private def nameOf(plan: LogicalPlan): Seq[String] = plan match {
    case relation: UnresolvedRelation => relation.multipartIdentifier
    case identifier: UnresolvedIdentifier => identifier.nameParts
    case other => throw EddylineErrors.analysis(
      "EDDYLINE_GLOBAL_TABLE.NAME", Map.empty, other.origin)
  }

  private class Arguments(function: String, arguments: Seq[Expression], val origin: Origin) {
    private val values = arguments.collect {
      case NamedArgumentExpression(name, value) => name -> value
    }.toMap

    def createView: LogicalPlan = CreateGlobalTableCommand(
      name,
      changes,
      QueryForm(
        table("query"), queryText, text("comment"), pairs("properties").toMap,
        values.contains("or_replace")),
      values.contains("if_not_exists"),
      place)

    def other: LogicalPlan = text("action") match {
      case Some("show") =>
        ShowGlobalTablesCommand(values.get("namespace").map(_ => nameOf(table("namespace"))), place)
      case Some("drop") => DropGlobalTableCommand(name, ifExists = false, place)
      case Some("drop_if_exists") => DropGlobalTableCommand(name, ifExists = true, place)
      case Some("refresh") => RefreshGlobalTableCommand(name, place)
      case Some("describe") => DescribeGlobalTableCommand(name, place)
      case Some("show_create") => ShowCreateGlobalTableCommand(name, place)
      case _ => refused()
    }

    def name: Seq[String] = nameOf(table("name"))

    /** Of the name, for errors. */
    def place: Origin = values.collectFirst {
      case ("name" | "namespace", argument: FunctionTableSubqueryArgumentExpression) =>
        argument.plan.origin
    }.getOrElse(origin)

    def changes: OptionChanges = OptionChanges(
      primaryKey = Some(columns("primary_key")).filter(_.nonEmpty),
      latestBy = if (text("on_duplicate").isDefined) Some(None)
        else values.get("latest_by").map(order => Some(EddylineErrors.typed(order))),
      refresh = if (text("refresh").isDefined) Some(None)
        else interval("refresh_every", "REFRESH EVERY").map(Some(_)),
      maxStaleness = interval("max_staleness", "MAX STALENESS"),
      staleWait = if (text("on_stale").isDefined) Some(None)
        else interval("stale_wait", "ON STALE WAIT").map(Some(_)),
      maxRows = text("max_rows").map(_.toLong),
      maxBytes = text("max_bytes").map(_.toLong),
      comment = text("comment"),
      properties = pairs("properties").toMap,
      keyPlaces = attributes("primary_key").map(key => key.nameParts.last -> key.origin).toMap,
      latestByPlace = values.get("latest_by").fold(place)(_.origin))

    def text(name: String): Option[String] =
      values.get(name).collect { case Literal(value, _) if value != null => value.toString }

    def pairs(name: String): Seq[(String, String)] =
      values.get(name).toSeq.flatMap(_.children).map {
        case cast: Cast => cast.child.toString
        case other => other.toString
      }.grouped(2).collect { case Seq(key, value) => key -> value }.toSeq

    def columns(name: String): Seq[String] = attributes(name).map(_.nameParts.last)

    private def attributes(name: String): Seq[UnresolvedAttribute] =
      values.get(name).toSeq.flatMap(_.children).collect {
        case column: UnresolvedAttribute => column
      }

    private def queryText: String = values.get("text") match {
      case Some(Literal(bytes: Array[Byte], _)) => new String(bytes, UTF_8)
      case _ => refused()
    }

    private def interval(name: String, clause: String): Option[Duration] =
      values.get(name).map { value =>
        Intervals.positive(value).getOrElse(
          throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.BAD_INTERVAL",
            Map("clause" -> clause, "interval" -> EddylineErrors.typed(value)), value.origin))
      }

    private def table(name: String): LogicalPlan = values.get(name) match {
      case Some(argument: FunctionTableSubqueryArgumentExpression) => argument.plan
      case _ => refused()
    }

    private def refused(): Nothing = throw EddylineErrors.analysis(
      "EDDYLINE_PLACEHOLDER", Map("name" -> function), origin)
  }
}
