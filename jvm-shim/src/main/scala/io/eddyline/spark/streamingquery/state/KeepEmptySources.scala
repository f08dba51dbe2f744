package io.eddyline.spark.streamingquery.state

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.LogicalRDD

import io.eddyline.spark.assume.claim.AssumePartitionedBy
import io.eddyline.spark.cogroup.CoGroupPlan
import io.eddyline.spark.emit.clause.Emit
import io.eddyline.spark.globaltable.catalog.GlobalRelation

/**
 * Gives each micro-batch of a query the same plan, whichever of its sources have new rows.
 *
 * Spark puts an empty [[LocalRelation]] in the place of a source without new rows, and its
 * optimizer removes what it takes for empty: a branch of a union, or a LIMIT. Columns are then not
 * nullable that are in other micro-batches, so counts, FILTER clauses and calls of coalesce are
 * simplified, equal aggregates share a buffer, and the state is read and written in another shape.
 * So an RDD without partitions takes the place of the source: no rule knows that it is empty.
 */
case class KeepEmptySources(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.isStreaming && CheckedQuery.isIn(plan)) {
      plan.transform { case LocalRelation(output, Nil, true, stream) =>
        val nothing = session.sparkContext.emptyRDD[InternalRow]
        LogicalRDD(output, nothing, isStreaming = true, stream = stream)(session)
      }
    } else plan
}

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
