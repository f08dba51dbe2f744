package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions.{And, DynamicPruning, PredicateHelper}
import org.apache.spark.sql.catalyst.optimizer.PushDownPredicates
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.dynamicpruning.PartitionPruning

import io.eddyline.spark.assume.claim.AssumePartitionedBy

/**
 * Pushes dynamic partition pruning through claims. Spark adds it late, pushes it only through nodes
 * that it knows, and removes it where it has not reached a scan. So this rule adds it before and
 * pushes it through the claims. It removes the pruning elsewhere, which Spark adds again.
 */
object PruneThroughAssume extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.exists(_.isInstanceOf[AssumePartitionedBy])) {
      val pruned = PartitionPruning(plan)
      if (pruned fastEquals plan) plan else withoutPruningAboveClaims(pushedDown(pruned))
    } else {
      plan
    }

  private def pushedDown(plan: LogicalPlan): LogicalPlan = {
    val next = PushThroughAssume(PushDownPredicates(plan))
    if (next fastEquals plan) plan else pushedDown(next)
  }

  /** Returns the plan without dynamic pruning, except below a claim. */
  private def withoutPruningAboveClaims(plan: LogicalPlan): LogicalPlan = plan match {
    case claim: AssumePartitionedBy => claim
    case Filter(condition, child) =>
      splitConjunctivePredicates(condition).filterNot(_.isInstanceOf[DynamicPruning])
        .reduceOption(And(_, _)).fold(withoutPruningAboveClaims(child))(Filter(_,
            withoutPruningAboveClaims(child)))
    case other => other.mapChildren(withoutPruningAboveClaims)
  }
}
