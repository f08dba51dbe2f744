package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.PushDownPredicates
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.dynamicpruning.PartitionPruning

import io.eddyline.spark.assume.claim.AssumePartitionedBy

/**
 * Pushes filters and the selection of nested fields through a claim to the scan; Spark pushes them
 * only through nodes that it knows. Both only remove rows or values, so the claim stays true.
 * EXISTS and IN stay above the claim: they become joins, which can use a claim only if it is below
 * them. A claim about a stream keeps its keys as they are, since its state has them as columns.
 */
object PushThroughAssume extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case Filter(condition, claim: AssumePartitionedBy) if condition.deterministic =>
      val (above, below) = splitConjunctivePredicates(condition).partition(becomesJoin)
      val filtered = below.reduceOption(And(_, _)).fold[LogicalPlan](claim) { passing =>
        claim.over(Filter(passing, claim.child))
      }
      above.reduceOption(And(_, _)).fold(filtered)(Filter(_, filtered))
    case Project(list, claim: AssumePartitionedBy)
        if !claim.isStreaming && list.forall(_.deterministic) && !list.exists(becomesJoin) &&
          list.exists(_.exists(_.isInstanceOf[ExtractValue])) =>
      val keys = claim.keys.map {
        case column: Attribute => column
        case expression => Alias(expression, "__eddyline_key")()
      }
      val missing = keys.filterNot(key => list.exists(_.exprId == key.exprId)).distinct
      Project(
        list.map(_.toAttribute),
        claim.over(Project(list ++ missing, claim.child), keys.map(_.toAttribute)))
  }

  private def becomesJoin(condition: Expression): Boolean = condition.exists {
    case _: Exists | _: InSubquery => true
    case _ => false
  }
}

/**
 * Pushes dynamic partition pruning through claims. Spark adds it late, pushes it only through nodes
 * that it knows, and removes it where it has not reached a scan. So this rule adds it before and
 * pushes it through the claims. It removes the pruning elsewhere, which Spark adds again.
 */
object PruneThroughAssume extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(_.isInstanceOf[AssumePartitionedBy])) plan
    else {
      val pruned = PartitionPruning(plan)
      if (pruned fastEquals plan) plan else withoutPruningAboveClaims(pushedDown(pruned))
    }

  private def pushedDown(plan: LogicalPlan): LogicalPlan = {
    val next = PushThroughAssume(PushDownPredicates(plan))
    if (next fastEquals plan) plan else pushedDown(next)
  }

  /** Returns the plan without dynamic pruning, except below a claim. */
  private def withoutPruningAboveClaims(plan: LogicalPlan): LogicalPlan = plan match {
    case claim: AssumePartitionedBy => claim
    case Filter(condition, child) =>
      val below = withoutPruningAboveClaims(child)
      splitConjunctivePredicates(condition).filterNot(_.isInstanceOf[DynamicPruning])
        .reduceOption(And(_, _)).fold(below)(Filter(_, below))
    case other => other.mapChildren(withoutPruningAboveClaims)
  }
}
