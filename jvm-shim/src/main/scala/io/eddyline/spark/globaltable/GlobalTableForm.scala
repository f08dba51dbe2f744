package io.eddyline.spark.globaltable

import org.apache.spark.sql.catalyst.analysis.{SchemaCompensation, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.{QualifiedNames, SessionInternals}
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.globaltable.topic.TopicDefinition

/** What the catalog has for a global table; Spark alone can read it too, unless it is a topic. */
sealed trait GlobalTableForm {

  /** Whether it replaces an existing object of the same name. */
  def orReplace: Boolean = false

  /**
   * Whether a statement with OR REPLACE would create `entry` as it is already: with the same text,
   * options, settings and columns.
   */
  def matches(entry: CatalogEntry, options: GlobalTableOptions, session: SparkSession): Boolean =
    false

  /** Spark's own statement that creates the object; it stores the settings of `session`. */
  def statement(options: GlobalTableOptions, session: SparkSession): LogicalPlan
}

/**
 * CREATE GLOBAL TABLE … USING: a table.
 *
 * @param create Spark's statement, without eddyline's clauses
 */
case class TableForm(create: CreateTable) extends GlobalTableForm {
  override def statement(options: GlobalTableOptions, session: SparkSession): LogicalPlan = {
    val spec = create.tableSpec match {
      case spec: UnresolvedTableSpec =>
        spec.copy(properties =
          spec.properties ++ options.properties ++ SessionSettings.properties(session))
    }
    create.copy(tableSpec = spec)
  }
}

/**
 * CREATE GLOBAL TABLE … USING kafka: a table of eddyline's own source in the session catalog.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.TOPIC_CATALOG, TOPIC_CLAUSE, and those of a [[TopicDefinition]].
 *
 * @param create Spark's statement, without eddyline's clauses, of the format that is stored
 * @param sourceOptions the OPTIONS of the statement
 */
case class TopicForm(name: Seq[String], create: CreateTable, sourceOptions: Map[String, String])
  extends GlobalTableForm {
  override def statement(options: GlobalTableOptions, session: SparkSession): LogicalPlan = {
    val table = name.map(quoteIfNeeded).mkString(".")
    if (QualifiedNames.sessionTable(session, name).isEmpty) {
      EddylineErrors.fail("EDDYLINE_GLOBAL_TABLE.TOPIC_CATALOG", Origin(), "table" -> table)
    }
    val clause =
      if (options.latestBy.isDefined) Some("ON DUPLICATE KEY")
      else if (create.partitioning.nonEmpty) Some("PARTITIONED BY")
      else Option.when(create.tableSpec.location.isDefined)("LOCATION")
    clause.foreach(clause =>
      EddylineErrors.fail("EDDYLINE_GLOBAL_TABLE.TOPIC_CLAUSE", Origin(), "clause" -> clause))
    val columns = StructType(create.columns.map(_.toV1Column))
    TopicDefinition(sourceOptions, columns, options.primaryKey): Unit // raises its errors
    TableForm(create).statement(options, session)
  }
}

/**
 * CREATE GLOBAL TABLE … AS: a view.
 *
 * @param query the parsed query
 * @param text the query as typed
 * @param stored the query as the catalog stores it, with the edits of eddyline's clauses
 */
case class QueryForm(
    name: Seq[String],
    query: LogicalPlan,
    text: String,
    stored: String,
    comment: Option[String],
    properties: Map[String, String],
    ifNotExists: Boolean,
    override val orReplace: Boolean)
  extends GlobalTableForm {

  override def matches(
      entry: CatalogEntry, options: GlobalTableOptions, session: SparkSession): Boolean =
    entry.metadata.exists { view =>
      view.viewText.contains(stored) && entry.comment == comment &&
      entry.declared == declared(options) && entry.settings == SessionSettings.of(session) &&
      view.viewCatalogAndNamespace == QualifiedNames.namespace(session, None) &&
      namesAndTypes(view.schema) == namesAndTypes(SessionInternals.frame(session, query).schema)
    }

  private def namesAndTypes(schema: StructType) = schema.map(field => field.name -> field.dataType)

  /** The properties that the statement gives the view. */
  private def declared(options: GlobalTableOptions): Map[String, String] =
    properties ++ options.properties ++
      Option.when(stored != text)(GlobalTableOptions.QUERY -> text)

  override def statement(options: GlobalTableOptions, session: SparkSession): LogicalPlan =
    CreateView(
      UnresolvedIdentifier(name), userSpecifiedColumns = Nil, comment, collation = None,
      declared(options), Some(stored), query, allowExisting = ifNotExists, orReplace,
      SchemaCompensation)
}
