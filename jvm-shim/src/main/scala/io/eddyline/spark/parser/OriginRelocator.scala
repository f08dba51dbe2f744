package io.eddyline.spark.parser

import org.apache.spark.sql.catalyst.expressions.SupportQueryContext
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNode}

/**
 * Gives every node and expression parsed from a lowered text its position in the typed text.
 *
 * Spark maps the offsets of an error's context, but not the line and column in its message, which
 * are all that a JDBC client sees. A node's origin can only be set by reflection; this object can
 * be removed once Spark maps the line and column of an origin too.
 */
private[parser] object OriginRelocator {
  private val origin = {
    val field = classOf[TreeNode[_]].getDeclaredField("origin")
    field.setAccessible(true)
    field
  }
  // An expression derives the context of run-time errors from its origin when it is created.
  private val context = classOf[SupportQueryContext].getMethod("initQueryContext")
  private val setContext =
    classOf[SupportQueryContext].getMethod("queryContext_$eq", classOf[Option[_]])

  /** Relocates a tree in place, which is safe because the parser has just created it. */
  def apply[T <: TreeNode[_]](tree: T, positions: SourceMap): T = {
    visit(tree, positions)
    tree
  }

  private def visit(value: Any, positions: SourceMap): Unit = value match {
    case node: TreeNode[_] =>
      if (node.origin.positionMapper.exists(_ eq positions.mapper)) relocate(node, positions)
      node.productIterator.foreach(visit(_, positions))
    case items: Iterable[_] => items.foreach(visit(_, positions))
    case Some(item) => visit(item, positions)
    case (a, b) => visit(a, positions); visit(b, positions)
    case (a, b, c) => visit(a, positions); visit(b, positions); visit(c, positions)
    case _ =>
  }

  private def relocate(node: TreeNode[_], positions: SourceMap): Unit = {
    origin.set(node, relocated(node.origin, positions))
    node match {
      case e: SupportQueryContext => setContext.invoke(e, context.invoke(e))
      case _ =>
    }
  }

  private def relocated(origin: Origin, positions: SourceMap): Origin = {
    val start = origin.startIndex.map(positions.start)
    val stop = origin.stopIndex.map(positions.stop)
    val place = start.map(positions.place).getOrElse(origin)
    origin.copy(
      line = place.line,
      startPosition = place.startPosition,
      startIndex = start,
      stopIndex = stop,
      positionMapper = None)
  }
}
