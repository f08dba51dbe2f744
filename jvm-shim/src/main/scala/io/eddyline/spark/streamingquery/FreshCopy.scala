package io.eddyline.spark.streamingquery

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNode

import io.eddyline.spark.base.PlanValues

/**
 * Copies a parsed plan so that it can be analyzed again.
 *
 * Spark records on each node which rules did not change it, and does not try them again
 * (SPARK-34906). So a table that was missing once would stay unresolved after it is created.
 * `TreeNode.clone` copies only children, and not what else [[PlanValues]] finds.
 */
private[streamingquery] object FreshCopy {
  def of[T <: LogicalPlan](plan: T): T = copy(plan).asInstanceOf[T]

  private def copy(node: TreeNode[_]): Any =
    if (node.productArity == 0) node
    else {
      node.makeCopy(
        node.productIterator.map(PlanValues.map(_)(copy).asInstanceOf[AnyRef]).toArray)
    }
}
