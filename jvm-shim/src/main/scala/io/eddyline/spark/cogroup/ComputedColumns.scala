package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project, UnaryNode}

/**
 * Moves the arguments of SQL functions into the branches whose columns they use. Spark computes
 * them in a Project above the union, whose columns belong to no branch.
 */
private[cogroup] object ComputedColumns {

  /** Returns the Aggregate over a union that has the arguments as columns, and this union. */
  def apply(aggregate: Aggregate, union: CoGroupUnion): (Aggregate, CoGroupUnion) = {
    val nodes = CoGroupUnion.nodesAbove(union, aggregate.child)
    val start = new ComputedColumns(union, AttributeMap.empty, outerReferences(aggregate +: nodes))
    val computed = nodes.reverse.collect { case project: Project => project }
      .foldLeft(start)(_.withArguments(_))
    val moved = aggregate.mapExpressions(computed.substitute) match {
      case node: Aggregate => node.copy(child = computed.withoutMoved(aggregate.child))
    }
    (moved, computed.union)
  }

  /** Returns the columns to which subqueries refer, where no expression can replace them. */
  private def outerReferences(nodes: Seq[LogicalPlan]): AttributeSet =
    AttributeSet(nodes.flatMap(_.expressions).flatMap(_.collect {
      case subquery: SubqueryExpression => subquery.references
    }).flatten)

  private def isWindow(alias: Alias): Boolean =
    alias.metadata.contains(TimeWindow.marker) || alias.metadata.contains(SessionWindow.marker)
}

/**
 * The arguments that were moved so far.
 *
 * @param union the union that has some of them as columns
 * @param inlined the expressions of the others, which replace them
 * @param outer the columns that must stay columns
 */
private[cogroup] class ComputedColumns(
    val union: CoGroupUnion, inlined: AttributeMap[Expression], outer: AttributeSet) {

  private lazy val columns = AttributeMap(
    union.child.output.takeRight(union.computed.size).map(c => c -> c.withNullability(true)))

  /** Adds the arguments that a Project computes. */
  def withArguments(project: Project): ComputedColumns = {
    val aliases = project.projectList.collect {
      case alias: Alias if !ComputedColumns.isWindow(alias) =>
        alias.copy(child = substitute(alias.child))(alias.exprId, Nil, None, Nil)
    }
    val (expressions, others) = aliases.partition(isInlined)
    val added = others.filter(isOfUnion)
      .map(alias => union.branchesIn(alias.child).headOption -> alias)
    val widened = if (added.isEmpty) union
    else union.copy(
      child = BranchArguments.withColumns(union, added),
      computed = union.computed ++ added.map { case (branch, _) => branch })
    val more = AttributeMap(expressions.map(alias => alias.toAttribute -> alias.child))
    new ComputedColumns(widened, inlined ++ more, outer)
  }

  /** Whether the expression itself replaces an argument, which shows its branches and windows. */
  private def isInlined(alias: Alias): Boolean = {
    val canBe = alias.child.deterministic && !outer.contains(alias.toAttribute)
    union.branchesIn(alias.child).size match {
      case 0 =>
        val isSimple =
          !SubqueryExpression.hasSubquery(alias.child) && !SubExprUtils.containsOuter(alias.child)
        isOfUnion(alias) && canBe && isSimple
      case 1 => !isOfUnion(alias) && canBe
      case _ => true
    }
  }

  private def isOfUnion(alias: Alias): Boolean = alias.references.subsetOf(union.child.outputSet)

  /** Returns an expression above the union with what has replaced the arguments. */
  def substitute(expression: Expression): Expression =
    BranchArguments.replaceColumns(columns)(expression.transform {
      case column: Attribute => inlined.getOrElse(column, column)
    })

  /** Returns the nodes between the Aggregate and the union without the moved arguments. */
  def withoutMoved(plan: LogicalPlan): LogicalPlan = plan match {
    case project: Project =>
      val below = withoutMoved(project.child)
      val kept = project.projectList.filterNot(column =>
        columns.contains(column.toAttribute) || inlined.contains(column.toAttribute))
      if (!kept.exists(_.isInstanceOf[Alias])) below
      else Project(kept, below).mapExpressions(substitute)
    case _: CoGroupUnion => union
    case node: UnaryNode =>
      node.mapExpressions(substitute).withNewChildren(Seq(withoutMoved(node.child)))
  }
}
