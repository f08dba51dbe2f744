package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.eddyline.SparkErrors
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

import io.eddyline.spark.base.{EddylineConf, EddylineErrors}
import io.eddyline.spark.cogroup.CoGroupStrategy.oneShuffle
import io.eddyline.spark.shim.PlanShim

/**
 * Adds the FILTER of its branch to every aggregate, and removes [[CoGroupUnion]]. It is a post-hoc
 * rule, because during resolution Spark adds the aggregates of HAVING and ORDER BY.
 *
 * Errors: EDDYLINE_COGROUP.MIXED_BRANCHES, NOT_AGGREGATED, PYTHON_AGGREGATE,
 * PYTHON_FUNCTION_OF_WINDOW, WINDOW_IN_AGGREGATE; Spark's UNRESOLVED_COLUMN without the columns
 * that eddyline alone knows.
 */
object RewriteCoGroup extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case node: UnaryNode if node.resolved => BranchStars.checkColumns(node)
      case _ =>
    }
    // Spark runs that rule later, when a subquery of HAVING finds no aggregate without its FILTER.
    val updated =
      if (plan.exists(OfCoGroup.unapply(_).isDefined)) UpdateOuterReferences(plan) else plan
    updated.resolveOperatorsUp { case OfCoGroup(aggregate, union) => rewrite(aggregate, union) }
  }

  /** Matches the Aggregate of a COGROUP that is not rewritten yet, and returns its union too. */
  private object OfCoGroup {
    def unapply(plan: LogicalPlan): Option[(Aggregate, CoGroupUnion)] = plan match {
      case aggregate: Aggregate => CoGroupUnion.findBelow(aggregate.child).map(aggregate -> _)
      case _ => None
    }
  }

  private def rewrite(aggregate: Aggregate, union: CoGroupUnion): LogicalPlan =
    if (!aggregate.resolved) {
      failUnresolvedColumn(aggregate, union)
      aggregate
    } else {
      val (computed, widened) = ComputedColumns(aggregate, union)
      checkWindows(computed, widened)
      checkBranches(computed, widened)
      checkPython(computed)
      checkAggregated(computed, widened)
      val separately =
        if (conf.getConf(EddylineConf.PREAGGREGATE)) PreaggregateCoGroup(computed, widened)
        else scala.util.Left(oneShuffle(s"${EddylineConf.PREAGGREGATE.key} is false"))
      val (rewritten, strategy) = separately.fold(withFilters(computed, widened) -> _, identity)
      CoGroupPlan.record(rewritten, union, strategy)
    }

  private def withFilters(aggregate: Aggregate, union: CoGroupUnion): Aggregate = {
    val arguments = new BranchArguments(union)
    val filtered = aggregate.aggregateExpressions.map(_.transform {
      case function: AggregateExpression =>
        union.branchesIn(function).headOption
          .fold(function)(withFilter(function, union, _, arguments))
    }).map { case named: NamedExpression => named }
    val required = AttributeSet(aggregate.groupingExpressions ++ filtered)
    aggregate.copy(
      aggregateExpressions = filtered,
      child = arguments.replaceUnion(aggregate.child, required))
  }

  private def withFilter(
      function: AggregateExpression,
      union: CoGroupUnion,
      branch: Int,
      arguments: BranchArguments): AggregateExpression = {
    import arguments.paddedRows
    val filter = function.filter.map(f =>
      if (paddedRows.cannotFail(f)) f else arguments.columnFor(branch, f))
    def argument(expression: Expression): Expression = expression match {
      case inner: AggregateFunction => inner.mapChildren(argument)
      case order: SortOrder => order.mapChildren(argument)
      case e if e.foldable || !e.deterministic => e
      case e if e.exists(_.isInstanceOf[AggregateExpression]) => e // Spark refuses it
      // A single DISTINCT needs no Expand if it has no FILTER.
      case e if paddedRows.cannotFail(e) && (paddedRows.isNull(e) || !function.isDistinct) => e
      case e =>
        arguments.columnFor(branch, function.filter.fold(e)(If(_, e, Literal(null, e.dataType))))
    }
    val own = argument(function.aggregateFunction) match {
      case f: AggregateFunction => function.copy(aggregateFunction = f, filter = filter)
    }
    if (ignoresPadding(own, paddedRows)) own
    else own.copy(filter = Some(filter.fold(union.isOf(branch))(And(union.isOf(branch), _))))
  }

  /**
   * Refuses a time window in an aggregate. Spark computes it below the Aggregate and drops all rows
   * whose time is NULL, such as those of the other branches.
   */
  private def checkWindows(aggregate: Aggregate, union: CoGroupUnion): Unit = {
    val known = union.child.outputSet ++ AttributeSet(aggregate.groupingExpressions)
    def isWindow(expression: Expression) = !expression.references.subsetOf(known)
    val ofKey = union.windows.exists(_.isDefined)
    CoGroupUnion.nodesAbove(union, aggregate.child).collectFirst {
      case filter: Filter if !ofKey || union.branchesIn(filter.condition).nonEmpty => filter
    }.foreach { _ =>
      val found = aggregate.aggregateExpressions.filter(isWindow)
      val function = found.flatMap(_.collectFirst {
        case function: AggregateExpression if isWindow(function) => function
      }).headOption.getOrElse(found.head)
      EddylineErrors.fail("EDDYLINE_COGROUP.WINDOW_IN_AGGREGATE", function.origin,
        "aggregate" -> EddylineErrors.asTyped(function))
    }
  }

  private def checkBranches(aggregate: Aggregate, union: CoGroupUnion): Unit =
    aggregate.aggregateExpressions.flatMap(_.collect { case f: AggregateExpression => f })
      .find(union.branchesIn(_).size > 1).foreach { function =>
        EddylineErrors.fail("EDDYLINE_COGROUP.MIXED_BRANCHES", function.origin,
          "aggregate" -> EddylineErrors.asTyped(function),
          "branches" -> union.branchesIn(function).map(union.aliases).mkString(" and "))
      }

  /** Refuses Python aggregates: Spark's operator for them ignores a FILTER that is added later. */
  private def checkPython(aggregate: Aggregate): Unit =
    aggregate.aggregateExpressions.flatMap(_.collectFirst {
      case f @ AggregateExpression(_: PythonUDAF, _, _, _, _) => f
    }).headOption.foreach { function =>
      EddylineErrors.fail("EDDYLINE_COGROUP.PYTHON_AGGREGATE", function.origin,
        "aggregate" -> EddylineErrors.asTyped(function))
    }

  /**
   * Whether an aggregate ignores the NULLs in the rows of other branches. Then it needs no FILTER,
   * for which Spark would add an Expand to a single DISTINCT.
   */
  private def ignoresPadding(
      function: AggregateExpression, paddedRows: PaddedRowAnalysis): Boolean =
    function.filter.isEmpty && (function.aggregateFunction match {
      case count: Count => count.children.exists(paddedRows.isNull)
      case list: CollectList => PlanShim.ignoresNulls(list) && paddedRows.isNull(list.child)
      case set: CollectSet => PlanShim.ignoresNulls(set) && paddedRows.isNull(set.child)
      case f @ (_: Sum | _: Average | _: Min | _: Max | _: HyperLogLogPlusPlus | _: ListAgg) =>
        paddedRows.isNull(f.children.head)
      case _ => false
    })

  /**
   * Refuses columns of a branch outside aggregates. Spark's MISSING_AGGREGATION has no position and
   * suggests a GROUP BY, which COGROUP does not have.
   */
  private def checkAggregated(aggregate: Aggregate, union: CoGroupUnion): Unit = {
    def findUnaggregated(expression: Expression): Option[AttributeReference] = expression match {
      case _: AggregateExpression => None
      case e if aggregate.groupingExpressions.exists(_.semanticEquals(e)) => None
      case column: AttributeReference => Some(column).filter(union.branchOf.contains)
      case other => other.children.flatMap(findUnaggregated).headOption
    }
    aggregate.aggregateExpressions.flatMap(findUnaggregated).headOption.foreach { column =>
      val name = (column.qualifier.takeRight(1) :+ column.name).map(quoteIfNeeded).mkString(".")
      EddylineErrors.fail("EDDYLINE_COGROUP.NOT_AGGREGATED", positionOf(union, column),
        "column" -> name, "alias" -> union.aliases(union.branchOf(column)))
    }
  }

  /**
   * Returns the position in the SQL text of a column outside an aggregate: the last one of its
   * name, since it may also be used inside an aggregate.
   */
  private def positionOf(union: CoGroupUnion, column: AttributeReference): Origin =
    union.columnsAsTyped.collect {
      case (nameParts, origin)
          if (column.qualifier :+ column.name).takeRight(nameParts.size)
            .corresponds(nameParts)(conf.resolver) =>
        origin
    }.lastOption.getOrElse(column.origin)

  /** Raises Spark's UNRESOLVED_COLUMN with the names of columns that a user knows. */
  private def failUnresolvedColumn(aggregate: Aggregate, union: CoGroupUnion): Unit =
    if (AnalysisContext.get.outerPlan.isEmpty) {
      aggregate.expressions.flatMap(_.collectFirst { case name: UnresolvedAttribute => name })
        .headOption.foreach { name =>
          val columns = union.aliases.indices.flatMap(union.columnsOf)
            .map(column => column.qualifier.takeRight(1) :+ column.name)
          throw SparkErrors.unresolvedColumn(name, columns ++ union.names.map(Seq(_)))
        }
    }
}
