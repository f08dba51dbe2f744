package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.assume.claim.AssumePartitionedBy

/**
 * Lets filters and the choice of nested fields pass the claim, so that they reach the scan. Both
 * only take rows or values away, so what is claimed stays true. Spark's own rules pass the nodes
 * they know. EXISTS and IN become joins, which claims are for and which no claim can be above.
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
        if list.forall(_.deterministic) && list.exists(_.exists(_.isInstanceOf[ExtractValue])) =>
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
