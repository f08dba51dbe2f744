package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}

import io.eddyline.spark.EddylineErrors

/**
 * Says why [[RewriteCoGroup]] left a [[CoGroupUnion]] standing. Check rules run after Spark's own
 * checks, whose errors win.
 *
 * Errors: EDDYLINE_COGROUP.MIXED_BRANCHES, NO_AGGREGATE.
 */
object CheckCoGroup extends (LogicalPlan => Unit) {

  /** The first aggregate that takes columns of more than one branch. */
  def mixed(aggregate: Aggregate, union: CoGroupUnion): Option[AggregateExpression] =
    aggregate.aggregateExpressions.flatMap(_.collect { case e: AggregateExpression => e })
      .find(union.branchesIn(_).size > 1)

  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case aggregate: Aggregate =>
      for {
        union <- CoGroupUnion.below(aggregate.child)
        function <- mixed(aggregate, union)
      } throw EddylineErrors.analysis("EDDYLINE_COGROUP.MIXED_BRANCHES",
        Map("aggregate" -> EddylineErrors.typed(function),
          "branches" -> union.branchesIn(function).map(union.aliases).mkString(" and ")),
        function.origin)
    case union: CoGroupUnion =>
      throw EddylineErrors.analysis("EDDYLINE_COGROUP.NO_AGGREGATE", Map.empty, union.origin)
    case _ =>
  }
}
