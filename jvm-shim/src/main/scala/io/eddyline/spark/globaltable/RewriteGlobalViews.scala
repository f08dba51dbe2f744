package io.eddyline.spark.globaltable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{Inner, LeftOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Looks up in the tables of a view one after the other, where a query joins a view over joined
 * global tables: `f JOIN (a JOIN b)` becomes `(f JOIN a) JOIN b`. So a view over global tables needs
 * no replica of its own, nor the memory for what the join multiplies.
 *
 * An inner join under an outer one stays: it drops rows that the outer one must keep.
 */
object RewriteGlobalViews extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case join @ Join(facts, View(fields, Join(first, second, inner, Some(on), _)),
        outer @ (Inner | LeftOuter), Some(condition), _)
      if !GlobalSide.is(facts) && isLookup(inner) && (outer == Inner || inner == LeftOuter) &&
        (outer == Inner || fields.forall(isColumn)) =>
      val computed = AttributeMap(fields.collect { case a: Alias => a.toAttribute -> a.child })
      val onFacts = condition.transform { case a: Attribute => computed.getOrElse(a, a) }
      val (ofFirst, rest) = splitConjunctivePredicates(onFacts)
        .partition(_.references.subsetOf(facts.outputSet ++ first.outputSet))
      val movable = rest.isEmpty || outer == Inner && inner == Inner
      if (ofFirst.nonEmpty && movable && isLookedUp(on, first, second)) {
        val below = Join(facts, first, outer, ofFirst.reduceOption(And), JoinHint.NONE)
        val above = Join(below, second, inner, (on +: rest).reduceOption(And), JoinHint.NONE)
        Project(facts.output ++ fields, above)
      } else {
        join
      }
  }

  private def isLookup(joinType: org.apache.spark.sql.catalyst.plans.JoinType): Boolean =
    joinType == Inner || joinType == LeftOuter

  private def isColumn(field: NamedExpression): Boolean = field match {
    case _: Attribute | Alias(_: Attribute, _) => true
    case _ => false
  }

  /** Whether one of the equalities is between the two tables, so that no CROSS join comes of it. */
  private def isLookedUp(on: Expression, first: LogicalPlan, second: LogicalPlan): Boolean =
    splitConjunctivePredicates(on).exists {
      case EqualTo(a, b) =>
        Seq((a, b), (b, a)).exists { case (left, right) =>
          left.references.nonEmpty && left.references.subsetOf(first.outputSet) &&
            right.references.nonEmpty && right.references.subsetOf(second.outputSet)
        }
      case _ => false
    }

  private object View {
    def unapply(plan: LogicalPlan): Option[(Seq[NamedExpression], Join)] = plan match {
      case Project(fields, join: Join) if GlobalSide.is(join) && fields.forall(_.deterministic) =>
        Some((fields, join))
      case join: Join if GlobalSide.is(join) => Some((join.output, join))
      case _ => None
    }
  }
}
