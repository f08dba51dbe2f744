package io.eddyline.spark.streamingquery

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.types.DataType

/**
 * Copies a parsed plan so that it can be analyzed again.
 *
 * Spark records on each node which rules did not change it, and does not try them again
 * (SPARK-34906). So a table that was missing once would stay unresolved after it is created.
 * `TreeNode.clone` copies only children, but constructor arguments contain plans and expressions
 * too: CTE definitions, subqueries, windows.
 */
private[streamingquery] object FreshCopy {
  def of[T <: LogicalPlan](plan: T): T = copy(plan).asInstanceOf[T]

  private def copy(value: Any): Any = value match {
    case node: TreeNode[_] if node.productArity == 0 => node
    case node: TreeNode[_] =>
      node.makeCopy(node.productIterator.map(copy(_).asInstanceOf[AnyRef]).toArray)
    case dataType: DataType => dataType // a StructType is a sequence, too
    case items: Seq[_] => items.map(copy)
    case items: Map[_, _] => items.map { case (key, item) => key -> copy(item) }
    case Some(item) => Some(copy(item))
    case (a, b) => (copy(a), copy(b))
    case (a, b, c) => (copy(a), copy(b), copy(c))
    case other => other
  }
}
