package io.eddyline.spark.globaltable.join

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, V2WriteCommand}
import org.apache.spark.sql.execution.command.DataWritingCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.eddyline.spark.globaltable.catalog.TableId

/** Finds the tables of the catalog into which the statements of a plan write. */
private[join] object WrittenTables {

  /** Returns the names of the tables: a REPLACE TABLE makes another incarnation of its own. */
  def names(plan: LogicalPlan): Set[Seq[String]] = plan.collect {
    case write: V2WriteCommand => name(write.table)
    case write: DataWritingCommand => table(write).map(TableId.of(_).name)
  }.flatten.toSet

  private def name(target: LogicalPlan): Option[Seq[String]] = target match {
    case relation: DataSourceV2Relation =>
      for {
        catalog <- relation.catalog
        identifier <- relation.identifier
      } yield TableId.of(catalog, identifier, relation.table).name
    case _ => None
  }

  /** The table of a write; Spark's own for Hive tables is in a module that may be missing. */
  private def table(write: DataWritingCommand): Option[CatalogTable] =
    write.productIterator.collectFirst {
      case table: CatalogTable => table
      case Some(table: CatalogTable) => table
    }
}
