package io.eddyline.spark.streamingquery.state

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

import io.eddyline.spark.assume.claim.AssumePartitionedBy
import io.eddyline.spark.cogroup.CoGroupPlan
import io.eddyline.spark.emit.clause.Emit
import io.eddyline.spark.globaltable.catalog.GlobalRelation

/**
 * The streaming queries whose state eddyline keeps the same in all micro-batches: those with a
 * clause of eddyline, and those that START or CREATE runs. Others of the session are Spark's.
 */
private[streamingquery] object CheckedQuery {
  private val TAG = TreeNodeTag[Unit]("eddyline.streamingquery.checked")

  /** Marks the plan of a query that START or CREATE runs; plans made from it keep the mark. */
  def mark(query: LogicalPlan): Unit = query.setTagValue(TAG, ())

  /** Whether a plan is that of such a query, or of a micro-batch of it. */
  def isIn(plan: LogicalPlan): Boolean = plan.exists {
    case _: Emit | _: AssumePartitionedBy => true
    case node => node.getTagValue(TAG).isDefined || CoGroupPlan.of(node).nonEmpty
  } || GlobalRelation.isIn(plan)
}
