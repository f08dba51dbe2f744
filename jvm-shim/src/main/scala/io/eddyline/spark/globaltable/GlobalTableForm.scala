package io.eddyline.spark.globaltable

import org.apache.spark.sql.catalyst.analysis.{SchemaCompensation, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.{QualifiedNames, SessionInternals}
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.parser.StoredText

/** The kind of catalog object of a global table; Spark without eddyline can read it too. */
sealed trait GlobalTableForm {

  /** Whether it replaces an existing object of the same name. */
  def orReplace: Boolean

  /**
   * Whether this statement would create `entry` as it is: the same text, options, settings and
   * columns.
   */
  def isOf(entry: CatalogEntry, options: GlobalTableOptions, session: SparkSession): Boolean =
    false

  /** Spark's own statement that creates the object; it stores the settings of `session`. */
  def statement(
      name: Seq[String],
      options: GlobalTableOptions,
      ifNotExists: Boolean,
      session: SparkSession): LogicalPlan
}

/**
 * CREATE GLOBAL TABLE … USING: a table.
 *
 * @param create Spark's statement, without eddyline's clauses
 */
case class TableForm(create: CreateTable) extends GlobalTableForm {
  override def orReplace: Boolean = false

  override def statement(
      name: Seq[String],
      options: GlobalTableOptions,
      ifNotExists: Boolean,
      session: SparkSession): LogicalPlan = {
    val spec = create.tableSpec match {
      case spec: UnresolvedTableSpec =>
        spec.copy(properties =
          spec.properties ++ options.properties ++ SessionSettings.properties(session))
    }
    create.copy(tableSpec = spec)
  }
}

/**
 * CREATE GLOBAL TABLE … AS: a view.
 *
 * @param query the parsed query
 * @param text the query as typed
 */
case class QueryForm(
    query: LogicalPlan,
    text: String,
    comment: Option[String],
    properties: Map[String, String],
    orReplace: Boolean)
  extends GlobalTableForm {

  /** The text that Spark stores as the text of the view. */
  private val stored = StoredText.of(text)

  override def isOf(
      entry: CatalogEntry, options: GlobalTableOptions, session: SparkSession): Boolean =
    entry.metadata.exists { view =>
      view.viewText.contains(stored) && entry.comment == comment &&
      entry.declared == declared(options) && entry.settings == SessionSettings.of(session) &&
      view.viewCatalogAndNamespace == QualifiedNames.namespace(session, None) &&
      isSame(view.schema, SessionInternals.frame(session, query).schema)
    }

  private def isSame(before: StructType, now: StructType): Boolean =
    before.map(column => column.name -> column.dataType) ==
      now.map(column => column.name -> column.dataType)

  /** The properties that the statement gives the view. */
  private def declared(options: GlobalTableOptions): Map[String, String] =
    properties ++ options.properties ++
      Option.when(stored != text)(GlobalTableOptions.QUERY -> text)

  override def statement(
      name: Seq[String],
      options: GlobalTableOptions,
      ifNotExists: Boolean,
      session: SparkSession): LogicalPlan =
    CreateView(
      UnresolvedIdentifier(name),
      userSpecifiedColumns = Nil,
      comment,
      collation = None,
      declared(options),
      Some(stored),
      query,
      allowExisting = ifNotExists,
      orReplace,
      SchemaCompensation)
}
