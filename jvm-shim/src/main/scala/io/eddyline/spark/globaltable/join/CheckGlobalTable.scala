package io.eddyline.spark.globaltable.join

import org.apache.spark.sql.catalyst.plans.{FullOuter, JoinType, LeftOuter, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}

import io.eddyline.spark.EddylineErrors
import io.eddyline.spark.globaltable.catalog.GlobalRelation

/**
 * Rejects outer joins of a stream that keep the unmatched rows of a global table: whether a row is
 * unmatched is known only when the stream has ended.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.JOIN_TYPE.
 */
object CheckGlobalTable extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan.foreachWithSubqueries {
    case join @ Join(left, right, joinType, _, _)
        if left.isStreaming != right.isStreaming && preserves(join, joinType) =>
      val global = if (left.isStreaming) right else left
      val tables = global.collect { case GlobalRelation(relation) => relation.id.shortName }
      if (tables.nonEmpty) {
        throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.JOIN_TYPE",
          Map("joinType" -> joinType.sql, "tables" -> tables.distinct.mkString(", ")), join.origin)
      }
    case _ =>
  }

  /** Whether the join keeps unmatched rows of the side that is not a stream. */
  private def preserves(join: Join, joinType: JoinType): Boolean = joinType match {
    case FullOuter => true
    case LeftOuter => join.right.isStreaming
    case RightOuter => join.left.isStreaming
    case _ => false
  }
}
