package io.eddyline.spark.placeholder

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * A clause's reader of the calls that the lowering writes in its place. [[parser.EddylineParser]]
 * asks each clause in turn, so it knows none of them by name.
 */
trait Placeholder {
  /** The node of the clause, for its table function inside a query; None for any other function. */
  def node(function: UnresolvedTableValuedFunction): Option[LogicalPlan] = None

  /** The command of the clause, for a plan that is a whole statement; None for any other plan. */
  def command(statement: LogicalPlan): Option[LogicalPlan] = None

  /** Whether the node is a whole query, so that the `SELECT *` above it, the lowering's, goes. */
  def isQuery(node: LogicalPlan): Boolean = false
}

object Placeholder {
  /** What the names of all placeholders begin with, in lower case. */
  val PREFIX = "__eddyline_"

  /** Whether a table function has the name, in any case. */
  def isCalled(function: UnresolvedTableValuedFunction, name: String): Boolean =
    function.name.size == 1 && function.name.head.equalsIgnoreCase(name)
}
