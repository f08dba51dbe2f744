package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec

/**
 * How a row of an aggregation's state becomes a row of the result.
 *
 * @param finishing turns a row of the state into the values of the aggregates
 * @param steps the HAVING and projections between the aggregation and EMIT, lowest first
 */
case class StateToResult(finishing: AggregationPhase, steps: Seq[ResultStep]) {

  /** Whether every row of the state has a row in the result: there is no HAVING. */
  def isTotal: Boolean = !steps.exists(_.isInstanceOf[ResultStep.Selection])
}

/** The arguments of one phase of an aggregation, taken from the operator that Spark planned. */
case class AggregationPhase(
    groupingExpressions: Seq[NamedExpression],
    aggregateExpressions: Seq[AggregateExpression],
    aggregateAttributes: Seq[Attribute],
    initialInputBufferOffset: Int,
    resultExpressions: Seq[NamedExpression]) {

  /**
   * The columns of a row of the state with the buffer attributes of this phase's functions, since
   * a copied function has its own buffer attributes (SPARK-31620).
   */
  def inputAttributes(state: Seq[Attribute]): Seq[Attribute] = {
    val buffers = aggregateExpressions.flatMap(_.aggregateFunction.inputAggBufferAttributes)
    state.dropRight(buffers.size) ++ buffers
  }
}

object AggregationPhase {
  def apply(operator: BaseAggregateExec): AggregationPhase = AggregationPhase(
    operator.groupingExpressions,
    operator.aggregateExpressions,
    operator.aggregateAttributes,
    operator.initialInputBufferOffset,
    operator.resultExpressions)
}

/** An operator between the aggregation and EMIT. */
sealed trait ResultStep

object ResultStep {
  case class Projection(list: Seq[NamedExpression], input: Seq[Attribute]) extends ResultStep

  case class Selection(condition: Expression, input: Seq[Attribute]) extends ResultStep

  /** Matches a planned operator; gives its step and its child. */
  def unapply(plan: SparkPlan): Option[(ResultStep, SparkPlan)] = plan match {
    case ProjectExec(list, child) => Some((Projection(list, child.output), child))
    case FilterExec(condition, child) => Some((Selection(condition, child.output), child))
    case _ => None
  }
}
