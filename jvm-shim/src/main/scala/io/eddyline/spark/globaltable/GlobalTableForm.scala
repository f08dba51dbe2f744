package io.eddyline.spark.globaltable

import org.apache.spark.sql.catalyst.analysis.{SchemaCompensation, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, SessionSettings}
import io.eddyline.spark.parser.StoredText

/** The kind of catalog object of a global table; Spark without eddyline can read it too. */
sealed trait GlobalTableForm {

  /** Whether it replaces an existing object of the same name. */
  def orReplace: Boolean

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

  override def statement(
      name: Seq[String],
      options: GlobalTableOptions,
      ifNotExists: Boolean,
      session: SparkSession): LogicalPlan = {
    val stored = StoredText.of(text)
    val typed = Option.when(stored != text)(GlobalTableOptions.QUERY -> text)
    CreateView(
      UnresolvedIdentifier(name),
      userSpecifiedColumns = Nil,
      comment,
      collation = None,
      properties ++ options.properties ++ typed,
      Some(stored),
      query,
      allowExisting = ifNotExists,
      orReplace,
      SchemaCompensation)
  }
}
