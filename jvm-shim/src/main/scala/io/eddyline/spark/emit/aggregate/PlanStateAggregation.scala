package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.execution.{ProjectExec, SortExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreSaveExec

/** Plans a [[StateAggregationExec]] in the place of Spark's operators. */
private[emit] object PlanStateAggregation {

  /**
   * Returns the operator.
   *
   * @param save Spark's operator that writes the state
   * @param merging Spark's aggregation that merges rows of the state
   * @param partials the plan of the partial results that Spark merges into the state
   */
  def apply(
      marker: EmitMarkerExec,
      save: StateStoreSaveExec,
      merging: BaseAggregateExec,
      partials: SparkPlan,
      conversion: StateToResult): SparkPlan = {
    def merges(rows: SparkPlan) = GroupRows(rows.output, None, Seq(AggregationPhase(merging)))
    val keys = save.keyExpressions
    val (rows, child) = partials match {
      case MergedPartials(partial, input, shuffle)
          if keys.nonEmpty && keys.forall(key => RowOrdering.isOrderable(key.dataType)) =>
        val narrow = NarrowRows.of(partial, input)
          .filterNot(_ => PartialAggregations.areUsed(save.session, save.stateInfo, partial))
        val shuffled = shuffle(narrow.fold[SparkPlan](partial)(_.plan))
        (narrow.fold(merges(shuffled))(_.rows), sorted(keys, shuffled, partial))
      case other => (merges(other), other) // one row a key, or rows one by one in real time
    }
    StateAggregationExec(
      keys,
      save.stateInfo,
      save.outputMode,
      save.eventTimeWatermarkForLateEvents,
      save.eventTimeWatermarkForEviction,
      save.stateFormatVersion,
      save.output,
      aggregatesOf(partials).getOrElse(merging.aggregateExpressions),
      rows,
      AggregationPhase(merging),
      conversion,
      marker.output,
      marker.compared,
      marker.changeType,
      child)
  }

  /**
   * Matches the aggregation that merges partial results. Extracts the partial aggregation, the plan
   * of its rows, and a function that shuffles the rows of a plan as Spark shuffles those results.
   */
  private object MergedPartials {
    def unapply(plan: SparkPlan): Option[(BaseAggregateExec, SparkPlan, SparkPlan => SparkPlan)] =
      plan match {
        case merging: BaseAggregateExec => withoutSort(merging.child) match {
            case exchange: ShuffleExchangeExec => withoutSort(exchange.child) match {
                case partial: BaseAggregateExec => Some((partial, withoutSort(partial.child),
                      rows => exchange.withNewChildren(Seq(rows))))
                case _ => None
              }
            case partial: BaseAggregateExec =>
              Some((partial, withoutSort(partial.child), identity[SparkPlan]))
            case _ => None
          }
        case _ => None
      }
  }

  /** The aggregates of the partial aggregation, which still have their FILTER clauses. */
  private def aggregatesOf(plan: SparkPlan): Option[Seq[AggregateExpression]] = plan match {
    case MergedPartials(partial, _, _) => Some(partial.aggregateExpressions)
    case _ => None
  }

  /**
   * Sorts the rows of each partition by their key. Where the result depends on the order of the
   * rows of a key, that order is kept, which Spark's sort does only as long as it does not spill.
   */
  private def sorted(
      keys: Seq[Attribute], rows: SparkPlan, partial: BaseAggregateExec): SparkPlan = {
    val byKey = keys.map(SortOrder(_, Ascending))
    if (partial.aggregateExpressions.map(_.aggregateFunction).forall(ignoresOrder)) {
      SortExec(byKey, global = false, rows)
    } else {
      val number = Alias(MonotonicallyIncreasingID(), "number")()
      SortExec(byKey :+ SortOrder(number.toAttribute, Ascending), global = false,
        ProjectExec(rows.output :+ number, rows))
    }
  }

  /** Whether a function is known to ignore the order of rows, but for last digits of doubles. */
  private def ignoresOrder(function: AggregateFunction): Boolean = function match {
    case _: Count | _: Sum | _: Average | _: Min | _: Max | _: CentralMomentAgg |
        _: BitAggregate | _: HyperLogLogPlusPlus => true
    case _ => false
  }

  /** Returns the child of the sort that only a sort-based aggregation of Spark needs. */
  def withoutSort(plan: SparkPlan): SparkPlan = plan match {
    case SortExec(_, _, child, _) => child
    case other => other
  }
}
