package io.eddyline.spark.parser

import org.apache.spark.sql.catalyst.expressions.SupportQueryContext
import org.apache.spark.sql.catalyst.plans.logical.SingleStatement
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNode}

import io.eddyline.spark.base.PlanValues

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
  // The statement of a script has a field of this name of its own.
  private val ofStatement = classOf[SingleStatement].getDeclaredFields.find(_.getName == "origin")
  ofStatement.foreach(_.setAccessible(true))

  // An expression derives the context of run-time errors from its origin when it is created.
  private val context = classOf[SupportQueryContext].getMethod("initQueryContext")
  private val setContext =
    classOf[SupportQueryContext].getMethod("queryContext_$eq", classOf[Option[_]])

  /** Relocates a tree in place, which is safe because the parser has just created it. */
  def apply[T <: TreeNode[_]](tree: T, positions: SourceMap): T = {
    PlanValues.nodes(tree)
      .filter(_.origin.positionMapper.exists(_ eq positions.mapper))
      .foreach(relocate(_, positions))
    tree
  }

  private def relocate(node: TreeNode[_], positions: SourceMap): Unit = {
    val place = relocated(node.origin, positions)
    origin.set(node, place)
    node match {
      case statement: SingleStatement => ofStatement.foreach(_.set(statement, place))
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
