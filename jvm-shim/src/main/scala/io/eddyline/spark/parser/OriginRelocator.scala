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
  private val originField = {
    val field = classOf[TreeNode[_]].getDeclaredField("origin")
    field.setAccessible(true)
    field
  }
  // The statement of a script overrides `origin` with a field of its own.
  private val statementOriginField =
    classOf[SingleStatement].getDeclaredFields.find(_.getName == "origin")
  statementOriginField.foreach(_.setAccessible(true))

  // An expression derives the context of run-time errors from its origin when it is created.
  private val initContext = classOf[SupportQueryContext].getMethod("initQueryContext")
  private val setContext =
    classOf[SupportQueryContext].getMethod("queryContext_$eq", classOf[Option[_]])

  /** Relocates the nodes of this text in place: the parser has just created them. */
  def apply[T <: TreeNode[_]](tree: T, positions: SourceMap): T = {
    PlanValues.nodes(tree)
      .filter(_.origin.positionMapper.exists(_ eq positions.mapper))
      .foreach(relocate(_, positions))
    tree
  }

  private def relocate(node: TreeNode[_], positions: SourceMap): Unit = {
    val typed = typedOrigin(node.origin, positions)
    originField.set(node, typed)
    node match {
      case statement: SingleStatement => statementOriginField.foreach(_.set(statement, typed))
      case e: SupportQueryContext => setContext.invoke(e, initContext.invoke(e))
      case _ =>
    }
  }

  private def typedOrigin(origin: Origin, positions: SourceMap): Origin = {
    val start = origin.startIndex.map(positions.start)
    val stop = origin.stopIndex.map(positions.stop)
    val lineAndColumn = start.map(positions.place).getOrElse(origin)
    origin.copy(
      line = lineAndColumn.line,
      startPosition = lineAndColumn.startPosition,
      startIndex = start,
      stopIndex = stop,
      positionMapper = None)
  }
}
