package io.eddyline.spark.streamingquery.validation

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.datasources.LogicalRelationWithTable
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** A leaf that reads what the catalog has, by its name. */
private[validation] object NamedTable {
  def unapply(plan: QueryPlan[_]): Option[String] = Some(plan).collect {
    case LogicalRelationWithTable(_, Some(table)) => nameOf(table)
    case hive: HiveTableRelation => nameOf(hive.tableMeta)
    case relation: DataSourceV2Relation if relation.identifier.isDefined => relation.name
  }

  def nameOf(table: CatalogTable): String =
    table.identifier.nameParts.map(quoteIfNeeded).mkString(".")
}
