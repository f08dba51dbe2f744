package io.eddyline.spark.globaltable.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType, LeftOuter, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Rewrites a join with a view over joined global tables to one lookup per table: a join
 * `f JOIN (a JOIN b)` becomes `(f JOIN a) JOIN b`. So the view needs no replica of its own, nor
 * memory for the rows that its join multiplies.
 *
 * An inner join under an outer one is not rewritten: it drops rows that the outer one must keep.
 */
object RewriteGlobalViews extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case join @ Join(facts, View(fields, view), outer @ (Inner | LeftOuter), Some(on), _)
        if !GlobalSide.is(facts) =>
      lookUp(facts, fields, view, outer, on).fold[LogicalPlan](join)(joined =>
        Project(facts.output ++ GlobalSide.nullableAs(fields, joined.output), joined))
    case join @ Join(View(fields, view), facts, outer @ (Inner | RightOuter), Some(on), _)
        if !GlobalSide.is(facts) =>
      lookUp(facts, fields, view, if (outer == Inner) Inner else LeftOuter, on)
        .fold[LogicalPlan](join)(joined =>
          Project(GlobalSide.nullableAs(fields, joined.output) ++ facts.output, joined))
  }

  /** Joins the facts with the view's tables one by one; None if the rows would not be the same. */
  private def lookUp(
      facts: LogicalPlan,
      fields: Seq[NamedExpression],
      view: Join,
      outer: JoinType,
      condition: Expression): Option[Join] = {
    val Join(first, second, inner, on, _) = view
    val computed = AttributeMap(fields.collect { case a: Alias => a.toAttribute -> a.child })
    val onFacts = condition.transform { case a: Attribute => computed.getOrElse(a, a) }
    val (ofFirst, rest) = splitConjunctivePredicates(onFacts)
      .partition(_.references.subsetOf(facts.outputSet ++ first.outputSet))
    val same = outer match {
      case Inner => inner == Inner || inner == LeftOuter && rest.isEmpty
      case _ => inner == LeftOuter && rest.isEmpty && fields.forall(GlobalSide.isColumn)
    }
    Option.when(same && isLookedUp(ofFirst, facts, first) &&
      isLookedUp(on.toSeq, first, second, needsFirst = outer != Inner)) {
      val below = Join(facts, first, outer, ofFirst.reduceOption(And), JoinHint.NONE)
      Join(below, second, inner, (on ++ rest).reduceOption(And), JoinHint.NONE)
    }
  }

  /**
   * Whether the conditions contain an equality between the two, so that they are no CROSS join.
   *
   * @param needsFirst whether the equality must not hold if all columns of the first are NULL
   */
  private def isLookedUp(
      conditions: Seq[Expression],
      first: LogicalPlan,
      second: LogicalPlan,
      needsFirst: Boolean = false): Boolean =
    conditions.flatMap(splitConjunctivePredicates).exists {
      case EqualTo(a, b) =>
        Seq((a, b), (b, a)).exists { case (left, right) =>
          left.references.nonEmpty && left.references.subsetOf(first.outputSet) &&
          (!needsFirst || left.isInstanceOf[Attribute]) &&
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
