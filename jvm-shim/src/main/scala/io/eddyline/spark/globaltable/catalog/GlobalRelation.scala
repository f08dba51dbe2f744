package io.eddyline.spark.globaltable.catalog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{DeleteFromTable, LogicalPlan, View}
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier}
import org.apache.spark.sql.eddyline.RowLevelTargets
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

/**
 * A global table where an analyzed plan reads it.
 *
 * @param properties the properties of the table in the catalog
 * @param plan the plan that reads the source itself
 */
case class GlobalRelation(id: TableId, properties: Map[String, String], plan: LogicalPlan) {
  def options: GlobalTableOptions = GlobalTableOptions.of(properties)

  /** The [[SessionSettings]] of the session that created it. */
  def settings: Map[String, String] = SessionSettings.stored(properties)

  /**
   * The columns of the table. All but the primary key are nullable: the version in use can be older
   * or newer than the source that `plan` reads, and the query of a view in it may have changed.
   */
  def output: Seq[AttributeReference] = GlobalRelation.references(plan.output).map { column =>
    column.withNullability(
      column.nullable || !options.primaryKey.exists(SQLConf.get.resolver(_, column.name)))
  }

  /** Whether `column` is a hidden metadata column such as `_metadata`. */
  def isHiddenColumn(column: Attribute): Boolean = column.metadata.contains("__metadata_col")
}

object GlobalRelation {

  /** Matches a global table at the root of a plan, unless it is the target of a MERGE or UPDATE. */
  def unapply(plan: LogicalPlan): Option[GlobalRelation] = plan match {
    case r: LogicalRelation if !r.isStreaming => r.catalogTable.flatMap(of(_, r))
    case r: HiveTableRelation => of(r.tableMeta, r)
    case v: View if !v.isTempView => of(v.desc, v)
    case r: DataSourceV2Relation if !RowLevelTargets.isTarget(r.table) =>
      val properties = r.table.properties.asScala.toMap
      for {
        catalog <- r.catalog
        identifier <- r.identifier
        if GlobalTableOptions.isGlobal(properties) && !IcebergTimeTravel.isReadBy(r, catalog,
          identifier)
      } yield GlobalRelation(TableId.of(catalog, identifier, r.table), properties, r)
    case _ => None
  }

  /** Whether a plan reads a global table; the target of a DELETE, its child, does not count. */
  def isIn(plan: LogicalPlan): Boolean = plan match {
    case _: DeleteFromTable => false
    case _ => plan.exists(node => unapply(node).isDefined || node.subqueries.exists(isIn))
  }

  private def of(table: CatalogTable, plan: LogicalPlan): Option[GlobalRelation] =
    Option.when(GlobalTableOptions.isGlobal(table.properties))(
      GlobalRelation(TableId.of(table), table.properties, plan))

  private[globaltable] def references(output: Seq[Attribute]): Seq[AttributeReference] =
    output.collect { case reference: AttributeReference => reference }
}

/** Recognizes relations of a table of Iceberg that do not read the newest rows of its branch. */
private[catalog] object IcebergTimeTravel {

  /** Options that read a branch, a tag, another snapshot, the changes, or given files. */
  private val OPTIONS = Seq(
    "branch", "tag", "snapshot-id", "as-of-timestamp", "start-snapshot-id", "end-snapshot-id",
    "start-timestamp", "end-timestamp", "scan-task-set-id")

  /** The last part of a name that selects a branch, a tag, or a snapshot of the table before it. */
  private val SELECTOR = "(branch|tag)_.+|(at_timestamp|snapshot_id)_\\d+"

  /** The catalogs in which Iceberg registers tables for its procedures, by ids. */
  private val OF_PROCEDURES = Set("default_rewrite_catalog", "default_cache_catalog")

  def isReadBy(
      relation: DataSourceV2Relation, catalog: CatalogPlugin, identifier: Identifier): Boolean =
    relation.timeTravelSpec.isDefined || OPTIONS.exists(relation.options.containsKey) ||
      OF_PROCEDURES(catalog.name) ||
      // a table may have such a name itself
      identifier.name.matches(SELECTOR) && !relation.table.name.endsWith(identifier.name)
}
