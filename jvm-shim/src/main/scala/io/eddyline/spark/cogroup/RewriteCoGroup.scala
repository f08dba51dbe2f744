package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.eddyline.SparkErrors
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

import io.eddyline.spark.{EddylineConf, EddylineErrors}

/**
 * Gives every aggregate the FILTER of its branch and takes [[CoGroupUnion]] away. It runs post hoc,
 * because HAVING and ORDER BY move aggregates into the Aggregate until the end of resolution.
 *
 * Errors: EDDYLINE_COGROUP.NOT_AGGREGATED, PYTHON_AGGREGATE; Spark's UNRESOLVED_COLUMN without the
 * columns that only eddyline knows.
 */
object RewriteCoGroup extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case aggregate: Aggregate if CoGroupUnion.below(aggregate.child).isDefined =>
      rewrite(aggregate, CoGroupUnion.below(aggregate.child).get)
  }

  private def rewrite(aggregate: Aggregate, union: CoGroupUnion): LogicalPlan =
    if (!aggregate.resolved) {
      unresolvedColumn(aggregate, union)
      aggregate
    } else if (CheckCoGroup.mixed(aggregate, union).isDefined) {
      aggregate // CheckCoGroup says so, after Spark's own checks
    } else {
      checkPython(aggregate)
      checkAggregated(aggregate, union)
      Some(aggregate).filter(_ => conf.getConf(EddylineConf.PREAGGREGATE))
        .flatMap(PreaggregateCoGroup(_, union))
        .getOrElse(withFilters(aggregate, union))
    }

  private def withFilters(aggregate: Aggregate, union: CoGroupUnion): Aggregate = {
    val filtered = aggregate.aggregateExpressions.map(_.transform {
      case function: AggregateExpression => withFilter(function, union)
    })
    aggregate.copy(
      aggregateExpressions = filtered.map { case named: NamedExpression => named },
      child = aggregate.child.transformUp {
        case node: CoGroupUnion if node eq union => node.child
      })
  }

  private def withFilter(function: AggregateExpression, union: CoGroupUnion): AggregateExpression =
    union.branchesIn(function) match {
      case Seq(branch) if !ignoresPadding(function) =>
        val isOf = union.isOf(branch)
        function.copy(filter = Some(function.filter.fold(isOf)(And(isOf, _))))
      case _ => function
    }

  /** A FILTER that is added after analysis is ignored by Spark's operator for Python aggregates. */
  private def checkPython(aggregate: Aggregate): Unit =
    aggregate.aggregateExpressions.flatMap(_.collectFirst {
      case f @ AggregateExpression(_: PythonUDAF, _, _, _, _) => f
    }).headOption.foreach { function =>
      throw EddylineErrors.analysis("EDDYLINE_COGROUP.PYTHON_AGGREGATE",
        Map("aggregate" -> EddylineErrors.typed(function)), function.origin)
    }

  /**
   * The NULLs of the other branches' rows change nothing, so no FILTER is needed; one would cost an
   * Expand for a single DISTINCT.
   */
  private def ignoresPadding(function: AggregateExpression): Boolean =
    function.filter.isEmpty &&
      function.aggregateFunction.children.headOption.exists(nullIfPadded) &&
      (function.aggregateFunction match {
        case _: Sum | _: Average | _: Min | _: Max | _: Count | _: HyperLogLogPlusPlus => true
        case list: CollectList => list.ignoreNulls
        case set: CollectSet => set.ignoreNulls
        case _ => false
      })

  private def nullIfPadded(expression: Expression): Boolean = expression match {
    case _: Attribute => true
    case cast: Cast => nullIfPadded(cast.child)
    case field: GetStructField => nullIfPadded(field.child)
    case arithmetic: BinaryArithmetic => arithmetic.children.exists(nullIfPadded)
    case _ => false
  }

  /** Spark's MISSING_AGGREGATION has no position and advises a GROUP BY that COGROUP has not. */
  private def checkAggregated(aggregate: Aggregate, union: CoGroupUnion): Unit = {
    def loose(expression: Expression): Option[AttributeReference] = expression match {
      case _: AggregateExpression => None
      case e if aggregate.groupingExpressions.exists(_.semanticEquals(e)) => None
      case column: AttributeReference => Some(column).filter(union.branchOf.contains)
      case other => other.children.flatMap(loose).headOption
    }
    aggregate.aggregateExpressions.flatMap(loose).headOption.foreach { column =>
      val name = (column.qualifier.takeRight(1) :+ column.name).map(quoteIfNeeded).mkString(".")
      throw EddylineErrors.analysis("EDDYLINE_COGROUP.NOT_AGGREGATED",
        Map("column" -> name, "alias" -> union.aliases(union.branchOf(column))),
        asTyped(aggregate, column))
    }
  }

  /** The place of a column that stands outside an aggregate: its last, where it stands in both. */
  private def asTyped(aggregate: Aggregate, column: AttributeReference): Origin =
    aggregate.getTagValue(ResolveCoGroup.COLUMNS_AS_TYPED).toSeq.flatten
      .filter(typed => conf.resolver(typed.nameParts.last, column.name) &&
        typed.nameParts.init.zip(column.qualifier.takeRight(typed.nameParts.size - 1)).forall {
          case (part, qualifier) => conf.resolver(part, qualifier)
        })
      .lastOption.fold(column.origin)(_.origin)

  private def unresolvedColumn(aggregate: Aggregate, union: CoGroupUnion): Unit =
    if (AnalysisContext.get.outerPlan.isEmpty) {
      aggregate.expressions.flatMap(_.collectFirst { case name: UnresolvedAttribute => name })
        .headOption.foreach { name =>
          val candidates = union.branchOf.keys.toSeq.map(c => c.qualifier :+ c.name)
          throw SparkErrors.unresolvedColumn(name, candidates ++ union.names.map(Seq(_)))
        }
    }
}
