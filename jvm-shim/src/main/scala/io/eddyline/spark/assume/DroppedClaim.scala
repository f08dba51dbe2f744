package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.globaltable.PinnedTable

/**
 * A claim that has no node in the plan, because it has no units.
 *
 * @param relation its name, if the node where the claim ended has not got it
 */
case class DroppedClaim(
    keys: Seq[Expression],
    layout: Layout,
    relation: Option[String],
    reason: String,
    origin: Origin)

object DroppedClaim {

  /** A claim about a global table, if it is one. */
  def ofGlobalTable(claim: AssumePartitionedBy): Option[DroppedClaim] =
    pinned(claim.child).map { table =>
      DroppedClaim(claim.keys, claim.layout, Some(table.id.shortName),
        "a global table is read from a snapshot, as that was written", claim.origin)
    }

  private def pinned(plan: LogicalPlan): Option[PinnedTable] = plan match {
    case table: PinnedTable => Some(table)
    case _: Filter | _: Project | _: SubqueryAlias => pinned(plan.children.head)
    case _ => None
  }
}
