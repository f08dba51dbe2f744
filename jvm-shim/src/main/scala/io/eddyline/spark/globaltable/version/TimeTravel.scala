package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.analysis.{AsOfVersion, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.{And, IsNotNull}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Reads a version of a table whose catalog keeps its versions. */
private[globaltable] object TimeTravel {

  def withoutNullKeys(rows: LogicalPlan, primaryKey: Seq[String]): LogicalPlan =
    primaryKey.map(key => IsNotNull(UnresolvedAttribute.quoted(key))).reduceOption(And)
      .fold(rows)(Filter(_, rows))

  /** Returns the table at a version, marked as time travel so that Spark does not refresh it. */
  def at(table: DataSourceV2Relation, version: String): DataSourceV2Relation =
    (table.catalog, table.identifier) match {
      case (Some(catalog: TableCatalog), Some(identifier)) => table.copy(
          table = catalog.loadTable(identifier, version),
          timeTravelSpec = Some(AsOfVersion(version)))
      case _ => table
    }
}
