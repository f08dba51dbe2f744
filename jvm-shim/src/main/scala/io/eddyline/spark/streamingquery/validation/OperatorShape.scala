package io.eddyline.spark.streamingquery.validation

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.operators.stateful.join._

import io.eddyline.spark.emit.aggregate.{EmitOnChangeExec, EmitOnChangeSessionsExec}
import io.eddyline.spark.emit.clause.EmitOption
import io.eddyline.spark.emit.keyed.EmitOnChangeKeyExec
import io.eddyline.spark.shim.RealTimeShim

/**
 * What the state of a stateful operator consists of.
 *
 * @param kind the operator in words
 * @param parts its parts, in the order of the state
 */
private[streamingquery] case class OperatorShape(kind: String, parts: Seq[OperatorPart]) {

  /** A value that equals that of an operator whose state has the same meaning. */
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
  private val ROWS = "an aggregation"
  private val SESSIONS = "an aggregation in session windows"

  /**
   * The stateful operators of a planned query, in the order of their ids.
   *
   * @param item what an expression of the plan is compared by
   */
  def of(plan: SparkPlan, item: Expression => ComparedExpression): Seq[OperatorShape] = plan
    .collect { case operator: StateStoreWriter => operator }
    .sortBy(_.getStateInfo.operatorId)
    .map(shape(_, item))

  private def shape(operator: StateStoreWriter, item: Expression => ComparedExpression)
      : OperatorShape = {
    def part(name: String, expressions: Seq[Expression]): OperatorPart =
      OperatorPart(name, expressions.map(item))

    def aggregation(
        kind: String, keys: Seq[Expression], functions: Seq[Expression]): OperatorShape =
      OperatorShape(kind, Seq(part("key", keys), part("aggregate", functions)))

    operator match {
      case save: StateStoreSaveExec =>
        aggregation(ROWS, save.keyExpressions, functions(save.child))
      case RealTimeShim.Aggregation(save, merging, _) =>
        aggregation(ROWS, save.keyExpressions, merging.aggregateExpressions)
      case emit: EmitOnChangeExec =>
        val partial = functions(emit.child)
        aggregation(ROWS, emit.keyExpressions,
          if (partial.isEmpty) emit.merging.aggregateExpressions else partial)
      case save: SessionWindowStateStoreSaveExec =>
        aggregation(SESSIONS, save.keyWithoutSessionExpressions :+ save.sessionExpression,
          functions(save.child))
      case emit: EmitOnChangeSessionsExec =>
        aggregation(SESSIONS, emit.keyExpressions :+ emit.window, functions(emit.child))
      case emit: EmitOnChangeKeyExec =>
        val state = emit.state
        val columns =
          if (state.hashed || state.content == state.compared) {
            part("compared column", state.compared)
          } else {
            part("column", state.content)
          }
        val form = ComparedExpression.named(if (state.hashed) "a hash" else "columns")
        OperatorShape("EMIT ON CHANGE KEY",
          Seq(
            part("key", emit.keyExpressions), columns, OperatorPart("row kept as", Seq(form)),
            options(state.options), part("ORDER BY", state.ordering.toSeq)))
      case join: StreamingSymmetricHashJoinExec =>
        OperatorShape("a join of two streams",
          Seq(
            OperatorPart("join type", Seq(ComparedExpression.named(join.joinType.sql))),
            part("key", join.leftKeys ++ join.rightKeys),
            part("join condition", matching(join)),
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

  private def options(options: Set[EmitOption]): OperatorPart =
    OperatorPart("option", options.map(_.sql).toSeq.sorted.map(ComparedExpression.named))

  /** The condition by which the state says whether a row of an outer join has been matched. */
  private def matching(join: StreamingSymmetricHashJoinExec): Seq[Expression] =
    if (join.joinType == Inner) Nil else join.condition.full.toSeq

  /**
   * The functions of the partial aggregation, which still has their FILTER clauses. There is none
   * in real-time mode; those below a join aggregate tables.
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
