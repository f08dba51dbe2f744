package io.eddyline.spark.streamingquery.validation

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.operators.stateful.join._

import io.eddyline.spark.emit.aggregate.{EmitOnChangeSessionsExec, StateAggregationExec}
import io.eddyline.spark.emit.keyed.EmitOnChangeKeyExec
import io.eddyline.spark.shim.RealTimeShim

/**
 * What the state of a stateful operator consists of.
 *
 * @param kind the operator in words
 * @param parts its parts, in the order of the state
 */
private[streamingquery] case class OperatorShape(kind: String, parts: Seq[OperatorPart]) {

  /** Is equal for two operators whose states have the same meaning. */
  def meaning: Any = (kind, parts.map(part => part.name -> part.items.map(_.tree)))
}

/**
 * A part of a stateful operator, such as its keys.
 *
 * @param name `key`, `aggregate` …
 * @param items the items in the order of the state
 */
private[streamingquery] case class OperatorPart(name: String, items: Seq[ComparedExpression])

private[streamingquery] object OperatorShape {
  private val AGGREGATION = "an aggregation"
  private val SESSION_WINDOWS = "an aggregation in session windows"

  /**
   * The stateful operators of a planned query, in the order of their ids.
   *
   * @param compared returns an expression of the plan as one that can be compared
   */
  def of(plan: SparkPlan, compared: Expression => ComparedExpression): Seq[OperatorShape] = plan
    .collect { case operator: StateStoreWriter => operator }
    .sortBy(_.getStateInfo.operatorId)
    .map(shape(_, compared))

  private def shape(operator: StateStoreWriter, compared: Expression => ComparedExpression)
      : OperatorShape = {
    def part(name: String, expressions: Seq[Expression]): OperatorPart =
      OperatorPart(name, expressions.map(compared))

    def aggregation(
        kind: String, keys: Seq[Expression], functions: Seq[Expression]): OperatorShape =
      OperatorShape(kind, Seq(part("key", keys), part("aggregate", functions)))

    operator match {
      case save: StateStoreSaveExec =>
        aggregation(AGGREGATION, save.keyExpressions, functions(save.child))
      case RealTimeShim.Aggregation(save, merging, _) =>
        aggregation(AGGREGATION, save.keyExpressions, merging.aggregateExpressions)
      case emit: StateAggregationExec =>
        aggregation(AGGREGATION, emit.keyExpressions, emit.aggregates)
      case save: SessionWindowStateStoreSaveExec =>
        aggregation(SESSION_WINDOWS, save.keyWithoutSessionExpressions :+ save.sessionExpression,
          functions(save.child))
      case emit: EmitOnChangeSessionsExec =>
        aggregation(SESSION_WINDOWS, emit.keyExpressions :+ emit.window, functions(emit.child))
      case emit: EmitOnChangeKeyExec =>
        val state = emit.state
        val columns =
          if (state.hashed || state.content == state.compared) {
            part("compared column", state.compared)
          } else {
            part("column", state.content) // all but the keys, compared or not
          }
        val keptAs = ComparedExpression.named(if (state.hashed) "a hash" else "columns")
        OperatorShape("EMIT ON CHANGE KEY",
          Seq(
            part("key", emit.keyExpressions), columns, OperatorPart("row kept as", Seq(keptAs)),
            OperatorPart(
              "option", state.options.map(_.sql).toSeq.sorted.map(ComparedExpression.named)),
            part("ORDER BY", state.ordering.toSeq)))
      case join: StreamingSymmetricHashJoinExec =>
        OperatorShape("a join of two streams",
          Seq(
            OperatorPart("join type", Seq(ComparedExpression.named(join.joinType.sql))),
            part("key", join.leftKeys ++ join.rightKeys),
            part("join condition", matchCondition(join)),
            part("column of the left side", join.left.output),
            part("column of the right side", join.right.output)))
      case distinct: StreamingDeduplicateExec =>
        OperatorShape("the removal of duplicates", Seq(part("key", distinct.keyExpressions)))
      case distinct: StreamingDeduplicateWithinWatermarkExec =>
        OperatorShape("the removal of duplicates within the watermark",
          Seq(part("key", distinct.keyExpressions)))
      case _: StreamingGlobalLimitExec => OperatorShape("a LIMIT", Nil)
      case other => OperatorShape(other.shortName, Nil)
    }
  }

  /** The condition by which the state of an outer join marks rows that have found a match. */
  private def matchCondition(join: StreamingSymmetricHashJoinExec): Seq[Expression] =
    if (join.joinType == Inner) Nil else join.condition.full.toSeq

  /**
   * The functions of the partial aggregation, which still has their FILTER clauses; none in
   * real-time mode. The search ends at a join: an aggregation below it is one of a table.
   */
  private def functions(plan: SparkPlan): Seq[Expression] = plan match {
    case _: StateStoreWriter => Nil
    case aggregation: BaseAggregateExec =>
      val below = aggregation.children.flatMap(functions)
      if (below.isEmpty) aggregation.aggregateExpressions else below
    case UnaryExecNode(_, child) => functions(child)
    case _ => Nil
  }
}
