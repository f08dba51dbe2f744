package io.eddyline.spark.globaltable.join

import scala.collection.mutable

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.DataWritingCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.{GlobalRelation, TableId}
import io.eddyline.spark.globaltable.refresh.{GlobalTable, GlobalTables}
import io.eddyline.spark.globaltable.version.{PinnedTable, Version}

/**
 * Replaces each global table that a plan reads by a [[PinnedTable]]: one version of a table for the
 * whole plan, and in a stream for the whole micro-batch. Spark runs this rule once for each query
 * and each micro-batch, before the optimizer.
 *
 * A table into which the plan also writes is not pinned: its version may lack its newest rows, so
 * an overwrite with the rows of the version would delete them.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.HIDDEN_COLUMN, and those of [[GlobalTable]].
 */
case class PinGlobalTables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.resolved && GlobalRelation.isIn(plan) && !GlobalTables.isOwn(session)) pin(plan)
    else plan

  private def pin(plan: LogicalPlan): LogicalPlan = {
    val globals = GlobalTables.of(session)
    val versionOf = BatchVersions.ofThread(session)
    val versions = mutable.Map.empty[TableId, Option[Version]]
    val written = WrittenTables.names(plan)
    plan.transformDownWithSubqueries {
      case GlobalRelation(relation) if !written(relation.id.name) =>
        relation.plan.output.find(relation.isHiddenColumn).foreach { column =>
          EddylineErrors.fail("EDDYLINE_GLOBAL_TABLE.HIDDEN_COLUMN", relation.plan.origin,
            "table" -> relation.id.shortName, "column" -> column.name)
        }
        val table = globals.table(relation)
        val version = versions.getOrElseUpdate(relation.id,
          if (table.isReady || !isOnlyShown(table)) Some(versionOf(table)) else table.current)
        PinnedTable(relation.id, version, relation.output)(table, relation.settings)
    }
  }

  /** Whether the version is only shown or compared with the cache, so nothing is loaded for it. */
  private def isOnlyShown(table: GlobalTable): Boolean =
    PlanPurpose.isNeverRun || table.current.isEmpty && PlanPurpose.isDatasetExplain
}

/** Finds the tables of the catalog into which the statements of a plan write. */
private[join] object WrittenTables {

  /** Returns the tables' names, not their ids: REPLACE TABLE writes into a table with a new id. */
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

  /** The table among the arguments of a write: the classes of Hive's writes may be missing. */
  private def table(write: DataWritingCommand): Option[CatalogTable] =
    write.productIterator.collectFirst {
      case table: CatalogTable => table
      case Some(table: CatalogTable) => table
    }
}
