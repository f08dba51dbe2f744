package io.eddyline.spark.parser

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, TreeNode}

import io.eddyline.spark.assume.AssumePlaceholder
import io.eddyline.spark.cogroup.CoGroupPlaceholder
import io.eddyline.spark.emit.{Emit, EmitPlaceholder}
import io.eddyline.spark.globaltable.GlobalTablePlaceholder
import io.eddyline.spark.streamingquery.StreamingQueryPlaceholder

/**
 * Puts eddyline's logical nodes in the place of the placeholders of a parsed plan. It has no side
 * effects: Spark Connect parses each text twice. A placeholder this version does not know stays,
 * and Spark refuses it by name.
 */
private[parser] object PlaceholderResolver {
  /** What the names of all placeholders begin with. */
  val PREFIX = "__eddyline_"

  /** `tree` was parsed from `text`, and can hold placeholders only if `text` holds their prefix. */
  def apply[T <: TreeNode[_]](text: String, tree: T): T =
    if (text.toLowerCase(Locale.ROOT).contains(PREFIX)) {
      (argument(tree) match {
        case plan: LogicalPlan => statement(plan)
        case other => other
      }).asInstanceOf[T]
    } else {
      tree
    }

  private def resolve(plan: LogicalPlan): LogicalPlan = {
    val below = resolveArguments(plan)
    CurrentOrigin.withOrigin(below.origin) {
      below match {
        case f: UnresolvedTableValuedFunction => placeholder(f)
        case SelectStar(emit: Emit) => emit
        case s: SingleStatement =>
          s.copy(parsedPlan = statement(s.parsedPlan))
        case other => other
      }
    }
  }

  /** A statement that is a clause as a whole. */
  private def statement(plan: LogicalPlan): LogicalPlan =
    AssumePlaceholder.statement(
      GlobalTablePlaceholder.statement(StreamingQueryPlaceholder.statement(plan)))

  private def placeholder(f: UnresolvedTableValuedFunction): LogicalPlan =
    f.name.map(_.toLowerCase(Locale.ROOT)) match {
      case Seq(AssumePlaceholder.NAME) => AssumePlaceholder(f)
      case Seq(CoGroupPlaceholder.NAME) => CoGroupPlaceholder(f)
      case Seq(EmitPlaceholder.NAME) => EmitPlaceholder(f)
      case _ => f
    }

  /**
   * Plans hide in more places than in `children`: CTE definitions, EXPLAIN, views, the statements,
   * conditions and handlers of a script. All are constructor arguments, so those are walked.
   */
  private def resolveArguments(plan: LogicalPlan): LogicalPlan = {
    val arguments = plan.productIterator.map(_.asInstanceOf[AnyRef]).toArray
    val resolved = arguments.map(argument)
    val unchanged = arguments.indices.forall(i => arguments(i) eq resolved(i))
    if (unchanged) plan else plan.makeCopy(resolved)
  }

  private def argument(value: AnyRef): AnyRef = value match {
    case plan: LogicalPlan => resolve(plan)
    case expression: Expression => expression.transformDown {
        case subquery: SubqueryExpression => subquery.withNewPlan(resolve(subquery.plan))
      }
    case items: Seq[_] => sameUnlessChanged(items)
    case option @ Some(item: AnyRef) =>
      val resolved = argument(item)
      if (resolved eq item) option else Some(resolved)
    case pair @ (a: AnyRef, b: AnyRef) =>
      val resolved = (argument(a), argument(b))
      if ((a eq resolved._1) && (b eq resolved._2)) pair else resolved
    case triple @ (a: AnyRef, b: AnyRef, c: AnyRef) =>
      val resolved = (argument(a), argument(b), argument(c))
      if ((a eq resolved._1) && (b eq resolved._2) && (c eq resolved._3)) triple else resolved
    case other => other
  }

  private def sameUnlessChanged(items: Seq[_]): Seq[_] = {
    val resolved = items.map { case item: AnyRef => argument(item); case other => other }
    val changed = items.iterator.zip(resolved.iterator).exists { case (before, after) =>
      before.asInstanceOf[AnyRef] ne after.asInstanceOf[AnyRef]
    }
    if (changed) resolved else items
  }
}
