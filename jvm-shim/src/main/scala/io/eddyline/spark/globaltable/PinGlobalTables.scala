package io.eddyline.spark.globaltable

import scala.collection.mutable

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.EddylineErrors

/**
 * Puts a [[PinnedTable]] in the place of each global table that a plan reads: one version of a
 * table for the whole plan, and in a stream for the whole micro-batch. Spark runs it once for each
 * query and each micro-batch, before the optimizer.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.HIDDEN_COLUMN, and those of [[GlobalTable]].
 */
case class PinGlobalTables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.resolved && GlobalRelation.isIn(plan) && !GlobalTables.isOwn(session)) {
      pin(plan)
    } else {
      plan
    }

  private def pin(plan: LogicalPlan): LogicalPlan = {
    val globals = GlobalTables.of(session)
    val versionOf = BatchVersions.current(session)
    val versions = mutable.Map.empty[TableId, Option[Version]]
    plan.transformDownWithSubqueries {
      case GlobalRelation(relation) =>
        relation.plan.output.find(relation.isHiddenColumn).foreach { column =>
          throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.HIDDEN_COLUMN",
            Map("table" -> relation.id.shortName, "column" -> column.name), relation.plan.origin)
        }
        val table = globals.table(relation)
        val version = versions.getOrElseUpdate(relation.id,
          if (isExplain || isDrop) table.current else Some(versionOf(table)))
        PinnedTable(relation.id, version, relation.output)(table)
    }
  }

  /**
   * Whether this plan is made for EXPLAIN, which shows it and must not load anything for it. Spark
   * has no other sign of it; it explains each query that it runs too, for the UI.
   */
  private def isExplain: Boolean = StackWalker.getInstance.walk { frames =>
    frames
      .dropWhile(!_.getMethodName.startsWith("explainString"))
      .dropWhile(_.getClassName.contains(".QueryExecution"))
      .findFirst()
      .map[Boolean](!_.getClassName.contains(".SQLExecution"))
      .orElse(false)
  }

  /** Whether Spark looks for what it has cached of a table that it drops. */
  private def isDrop: Boolean = StackWalker.getInstance.walk(_.anyMatch(frame =>
    frame.getMethodName.startsWith("uncache") && frame.getClassName.endsWith(".CacheManager")))
}
