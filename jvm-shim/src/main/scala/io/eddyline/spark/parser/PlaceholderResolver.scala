package io.eddyline.spark.parser

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, TreeNode}
import org.apache.spark.sql.execution.command.CreateViewCommand

import io.eddyline.spark.base.PlanValues
import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments, SelectStar}

/**
 * Replaces the placeholders in a parsed plan by eddyline's logical nodes. It has no side effects,
 * because Spark Connect parses each text twice. A placeholder that this version does not know
 * stays, and Spark rejects it by name.
 *
 * @param lowering returns the lowered text of a query, as a catalog stores it
 * @param viewText returns the text that a view stores for its lowered query
 */
private[parser] class PlaceholderResolver(
    clauses: Seq[Placeholder], lowering: String => String, viewText: String => String = identity) {

  /** Resolves the placeholders in `tree`, if `text`, from which it was parsed, has their prefix. */
  def resolve[T <: TreeNode[_]](text: String, tree: T): T =
    if (text.toLowerCase(Locale.ROOT).contains(Placeholder.PREFIX)) {
      (resolveIn(tree) match {
        case plan: LogicalPlan => asCommand(plan)
        case other => other
      }).asInstanceOf[T]
    } else {
      tree
    }

  private def resolve(plan: LogicalPlan): LogicalPlan = {
    val node = PlanValues.mapArguments(plan)(resolveIn)
    CurrentOrigin.withOrigin(node.origin) {
      node match {
        case function: UnresolvedTableValuedFunction =>
          Placeholder.requireQueries(function)
          first(_.node(PlaceholderArguments.of(function))).getOrElse(function)
        case SelectStar(query) if clauses.exists(_.isQuery(query)) => query
        case view: CreateView => view.copy(originalText = view.originalText.map(viewText))
        case view: CreateViewCommand => view.copy(originalText = view.originalText.map(viewText))
        case view: AlterViewAs => view.copy(originalText = viewText(view.originalText))
        case script: SingleStatement => script.copy(parsedPlan = asCommand(script.parsedPlan))
        case other => other
      }
    }
  }

  private def asCommand(plan: LogicalPlan): LogicalPlan =
    first(_.command(plan, lowering)).getOrElse(plan)

  private def first(find: Placeholder => Option[LogicalPlan]): Option[LogicalPlan] =
    clauses.iterator.flatMap(clause => find(clause)).nextOption()

  /** Resolves a plan, or the plans in an expression. */
  private def resolveIn(node: TreeNode[_]): Any = node match {
    case plan: LogicalPlan => resolve(plan)
    case expression: Expression => expression.transformDown {
        case subquery: SubqueryExpression => subquery.withNewPlan(resolve(subquery.plan))
      }
    case other => other
  }
}
