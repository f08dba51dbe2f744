package io.eddyline.spark.base

import scala.collection.mutable

import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.types.DataType

/**
 * Walks through the constructor arguments of nodes. They have plans and expressions that are not
 * children: in CTE definitions, subqueries, windows, EXPLAIN, views and the parts of a script.
 */
private[spark] object PlanValues {

  /** Returns all nodes in a plan or in another value. */
  def nodes(value: Any): Seq[TreeNode[_]] = {
    val found = mutable.ArrayBuffer.empty[TreeNode[_]]
    def visit(value: Any): Unit = value match {
      case node: TreeNode[_] =>
        found += node
        node.productIterator.foreach(visit)
      case _: DataType => // a StructType is a sequence, too
      case items: Iterable[_] => items.foreach(visit)
      case product: Product => product.productIterator.foreach(visit)
      case _ =>
    }
    visit(value)
    found.toSeq
  }

  /** Returns a node with `change` of the nodes in its arguments; itself if none changes. */
  def mapArguments[T <: TreeNode[_]](node: T)(change: TreeNode[_] => Any): T =
    rebuilt(node, node.productIterator.toSeq, change)(arguments =>
      node.makeCopy(arguments.map(_.asInstanceOf[AnyRef]).toArray)).asInstanceOf[T]

  /** Returns a value with `change` of the nodes in it; the value itself if none changes. */
  def map(value: Any)(change: TreeNode[_] => Any): Any = value match {
    case node: TreeNode[_] => change(node)
    case _: DataType => value
    case items: Seq[_] => rebuilt(value, items, change)(identity)
    case items: Map[_, _] => rebuilt(value, items.values.toSeq, change)(items.keys.zip(_).toMap)
    case Some(item) => rebuilt(value, Seq(item), change)(items => Some(items.head))
    case (a, b) => rebuilt(value, Seq(a, b), change) { case Seq(a, b) => (a, b) }
    case (a, b, c) => rebuilt(value, Seq(a, b, c), change) { case Seq(a, b, c) => (a, b, c) }
    case other => other
  }

  private def rebuilt(value: Any, items: Seq[Any], change: TreeNode[_] => Any)(
      make: Seq[Any] => Any): Any = {
    val changed = items.map(map(_)(change))
    val same = items.corresponds(changed)(_.asInstanceOf[AnyRef] eq _.asInstanceOf[AnyRef])
    if (same) value else make(changed)
  }
}
