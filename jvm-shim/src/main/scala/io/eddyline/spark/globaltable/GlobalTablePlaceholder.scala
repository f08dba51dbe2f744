package io.eddyline.spark.globaltable

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.kafka.TopicTable
import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments}

/**
 * Reads what the lowering writes for statements about global tables. Each is a whole statement:
 * `SELECT * FROM __eddyline_create_global_table(…)`, `__eddyline_alter_global_table(…)` or
 * `__eddyline_global_table(action => …)`; the table form of CREATE is Spark's CREATE TABLE with the
 * call as an option.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.DUPLICATE_LOCATION, DUPLICATE_PRIMARY_KEY, INVALID_INTERVAL,
 * INVALID_NAME.
 */
object GlobalTablePlaceholder extends Placeholder {
  private val CREATE = "__eddyline_create_global_table"
  private val ALTER = "__eddyline_alter_global_table"
  private val OTHER = "__eddyline_global_table"
  private val CONDITION = "EDDYLINE_GLOBAL_TABLE"

  override def statement(
      call: PlaceholderArguments, lowered: String => String): Option[LogicalPlan] =
    call.function match {
      case CREATE => Some(createView(call, lowered))
      case ALTER => Some(AlterGlobalTableCommand(
            nameOf(call.table("name")), changes(call), place(call, "name")))
      case OTHER => Some(other(call))
      case _ => None
    }

  override def command(
      plan: LogicalPlan, lowered: String => String): Option[LogicalPlan] = plan match {
    case create @ CreateTable(_, _, _, spec: UnresolvedTableSpec, _) =>
      spec.optionExpression.options.collectFirst {
        case (CREATE, f: UnresolvedFunction) =>
          val arguments = new PlaceholderArguments(CREATE, f.arguments, f.origin)
          CurrentOrigin.withOrigin(create.origin)(createTable(create, spec, arguments))
      }
    case _ => super.command(plan, lowered)
  }

  private def createView(
      arguments: PlaceholderArguments, lowered: String => String): LogicalPlan = {
    val (replaces, ifNotExists) =
      (arguments.contains("or_replace"), arguments.contains("if_not_exists"))
    if (replaces && ifNotExists) arguments.refused()
    val query = arguments.typedText("text")
    val name = nameOf(arguments.table("name"))
    CreateGlobalTableCommand(
      name, changes(arguments),
      QueryForm(
        name, arguments.table("query"), query, lowered(query), arguments.text("comment"),
        arguments.pairs("properties").toMap, ifNotExists, replaces),
      ifNotExists, place(arguments, "name"))
  }

  private def createTable(
      create: CreateTable, spec: UnresolvedTableSpec, arguments: PlaceholderArguments)
      : LogicalPlan = {
    val (paths, options) = arguments.pairs("options").partition(_._1.equalsIgnoreCase("path"))
    for ((_, path) <- paths.headOption; location <- spec.location) {
      EddylineErrors.fail(s"$CONDITION.DUPLICATE_LOCATION", create.origin,
        "location" -> location, "path" -> path)
    }
    val clauses = changes(arguments)
    val inColumns = spec.constraints.collect { case key: PrimaryKeyConstraint => key.columns }
    if ((inColumns ++ clauses.primaryKey).size > 1) {
      EddylineErrors.fail(s"$CONDITION.DUPLICATE_PRIMARY_KEY", arguments.origin)
    }
    val isTopic = spec.provider.exists(_.equalsIgnoreCase(TopicTable.FORMAT))
    val plain = spec.copy(
      provider = if (isTopic) Some(TopicFormat.STORED) else spec.provider,
      optionExpression = OptionList(options.map { case (key, value) => key -> Literal(value) }),
      location = spec.location.orElse(paths.headOption.map(_._2)),
      comment = clauses.comment.orElse(spec.comment),
      properties = spec.properties ++ clauses.properties,
      constraints = spec.constraints.filterNot(_.isInstanceOf[PrimaryKeyConstraint]))
    val name = nameOf(create.name)
    CreateGlobalTableCommand(
      name,
      clauses.copy(primaryKey = inColumns.headOption.orElse(clauses.primaryKey)),
      if (isTopic) TopicForm(name, create.copy(tableSpec = plain), options.toMap)
      else TableForm(create.copy(tableSpec = plain)),
      create.ignoreIfExists, create.name.origin)
  }

  private def other(arguments: PlaceholderArguments): LogicalPlan = {
    lazy val name = nameOf(arguments.table("name"))
    lazy val at = place(arguments, "name")
    arguments.text("action") match {
      case Some("show") => ShowGlobalTablesCommand(
          arguments.expression("namespace").map(_ => nameOf(arguments.table("namespace"))))
      case Some("drop") => DropGlobalTableCommand(name, ifExists = false, at)
      case Some("drop_if_exists") => DropGlobalTableCommand(name, ifExists = true, at)
      case Some("refresh") => RefreshGlobalTableCommand(name, at)
      case Some("describe") => DescribeGlobalTableCommand(name, at)
      case Some("show_create") => ShowCreateGlobalTableCommand(name, at)
      case _ => arguments.refused()
    }
  }

  private def changes(arguments: PlaceholderArguments): OptionChanges = {
    arguments.pairs("properties").filter(pair => GlobalTableOptions.isReserved(pair._1)).foreach {
      case (key, value) => EddylineErrors.fail(s"$CONDITION.INVALID_PROPERTY",
          arguments.place("properties"), "key" -> key, "value" -> value)
    }
    def written[T](flag: String)(value: => Option[T]): Option[Option[T]] =
      if (arguments.contains(flag)) Some(None) else value.map(Some(_))
    val keys = arguments.columns("primary_key")
    OptionChanges(
      primaryKey = Option.when(keys.nonEmpty)(keys.map(_.nameParts.last)),
      latestBy = written("on_duplicate")(
        arguments.expression("latest_by").map(EddylineErrors.asTyped)),
      refresh = written("refresh")(arguments.interval("refresh_every", CONDITION)),
      maxStaleness = arguments.interval("max_staleness", CONDITION),
      staleWait = written("on_stale")(arguments.interval("stale_wait", CONDITION)),
      maxRows = arguments.text("max_rows").map(_.toLong),
      maxBytes = arguments.text("max_bytes").map(_.toLong),
      comment = arguments.text("comment"),
      properties = arguments.pairs("properties").toMap,
      keyPlaces = keys.map(key => key.nameParts.last -> key.origin).toMap,
      latestByPlace = arguments.place("latest_by"))
  }

  /** The position of the name in argument `name`, for errors. */
  private def place(arguments: PlaceholderArguments, name: String): Origin =
    arguments.table(name).origin

  private def nameOf(plan: LogicalPlan): Seq[String] = plan match {
    case relation: UnresolvedRelation => relation.multipartIdentifier
    case identifier: UnresolvedIdentifier => identifier.nameParts
    case other => EddylineErrors.fail(s"$CONDITION.INVALID_NAME", other.origin)
  }
}
