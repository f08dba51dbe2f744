package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.types.DataType

/**
 * How a row of an aggregation's state becomes a row of the result.
 *
 * @param finishing turns a row of the state into the values of the aggregates
 * @param steps the HAVING and projections between the aggregation and EMIT, lowest first
 */
case class StateToResult(finishing: AggregationPhase, steps: Seq[ResultStep]) {

  /** Whether every row of the state has a row in the result, since there is no HAVING. */
  def hasNoHaving: Boolean = !steps.exists(_.isInstanceOf[ResultStep.Selection])

  /** Whether a result needs an operator that runs its subquery. */
  def hasSubquery: Boolean = (finishing.resultExpressions ++ steps.flatMap {
    case ResultStep.Projection(list, _) => list
    case ResultStep.Selection(condition, _) => Seq(condition)
  }).exists(StateToResult.hasSubquery)

  /**
   * Returns HAVING and the result as expressions over a row of the state; None if a function is not
   * declarative, or an expression is not deterministic.
   */
  def overState(state: Seq[Attribute]): Option[ResultExpressions] =
    finishing.ofDeclarativeBuffers(state).map { case (values, input) =>
      val start = ResultExpressions(Nil, values, input)
      val attributes = finishing.resultExpressions.map(_.toAttribute)
      steps.foldLeft((start, attributes)) {
        case ((found, columns), ResultStep.Projection(list, _)) =>
          (found.copy(columns = list.map(found.over(columns))), list.map(_.toAttribute))
        case ((found, columns), ResultStep.Selection(condition, _)) =>
          (found.copy(having = found.having :+ found.over(columns)(condition)), columns)
      }._1
    }.filter(found => (found.having ++ found.columns).forall(_.deterministic))

  /**
   * The same without HAVING and with the keys only: other columns are NULL or a default, since they
   * may not be computable for a row that HAVING rejects.
   */
  def keysOnly: StateToResult = {
    val keys = AttributeSet(finishing.groupingExpressions.map(_.toAttribute))
    val (first, computed) = StateToResult.ofColumns(finishing.resultExpressions, keys)
    val (projections, _) = steps.foldLeft((Seq.empty[ResultStep], computed)) {
      case ((done, known), projection: ResultStep.Projection) =>
        val (list, computed) = StateToResult.ofColumns(projection.list, known)
        (done :+ projection.copy(list = list), computed)
      case (found, _: ResultStep.Selection) => found
    }
    StateToResult(finishing.copy(resultExpressions = first), projections)
  }
}

/**
 * A result as expressions.
 *
 * @param having conditions, of which all must be true
 * @param columns the columns of the result
 * @param input the columns of the row over which these are
 */
private[aggregate] case class ResultExpressions(
    having: Seq[Expression], columns: Seq[Expression], input: Seq[Attribute]) {

  /** Returns an expression over the columns, which have these names here, as one over the input. */
  def over(names: Seq[Attribute])(expression: Expression): Expression = {
    val values = AttributeMap(names.zip(columns))
    (expression match {
      case Alias(child, _) => child
      case other => other
    }).transform { case column: Attribute => values.getOrElse(column, column) }
  }
}

object StateToResult {

  /** Whether an expression needs an operator that runs its subquery. */
  def hasSubquery(expression: Expression): Boolean = expression.exists {
    case _: PlanExpression[_] => true
    case _ => false
  }

  /** Returns columns without those that depend on unknown ones, and the columns that are left. */
  private def ofColumns(
      list: Seq[NamedExpression],
      known: AttributeSet): (Seq[NamedExpression], AttributeSet) = {
    def none(column: NamedExpression): Expression =
      if (column.nullable) Literal(null, column.dataType) else Literal.default(column.dataType)
    val computed = list.filter(_.references.subsetOf(known))
    val all = list.map { column =>
      if (computed.contains(column)) column else Alias(none(column), column.name)(column.exprId)
    }
    (all, AttributeSet(computed.map(_.toAttribute)))
  }
}

/** The arguments of a phase of an aggregation, which are those of the operator of Spark. */
case class AggregationPhase(
    groupingExpressions: Seq[NamedExpression],
    aggregateExpressions: Seq[AggregateExpression],
    aggregateAttributes: Seq[Attribute],
    initialInputBufferOffset: Int,
    resultExpressions: Seq[NamedExpression]) {

  /**
   * Returns the columns of a row that this phase reads. Those of a row of the state have the buffer
   * attributes of its functions, since a copied function has attributes of its own (SPARK-31620).
   */
  def inputAttributes(row: Seq[Attribute]): Seq[Attribute] = {
    val merged = aggregateExpressions.filter(_.mode != Partial)
    val buffers = merged.flatMap(_.aggregateFunction.inputAggBufferAttributes)
    row.dropRight(buffers.size) ++ buffers
  }

  /** The types of the columns of a buffer. */
  def bufferTypes: Seq[DataType] =
    aggregateExpressions.flatMap(_.aggregateFunction.aggBufferAttributes.map(_.dataType))

  /** Whether all functions are expressions over their buffers. */
  def isDeclarative: Boolean =
    aggregateExpressions.forall(_.aggregateFunction.isInstanceOf[DeclarativeAggregate])

  /**
   * Returns the results as expressions over a row of the state, and its columns; None if a function
   * is not declarative.
   */
  def ofDeclarativeBuffers(state: Seq[Attribute]): Option[(Seq[Expression], Seq[Attribute])] =
    Option.when(isDeclarative) {
      val functions = aggregateExpressions.map(_.aggregateFunction).collect {
        case function: DeclarativeAggregate => function
      }
      val values = AttributeMap(aggregateAttributes.zip(functions.map(_.evaluateExpression)))
      val buffers = functions.flatMap(_.aggBufferAttributes)
      val results = resultExpressions.map(_.transform {
        case column: Attribute => values.getOrElse(column, column)
      }).map {
        case Alias(child, _) => child
        case other => other
      }
      (results, state.dropRight(buffers.size) ++ buffers)
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

  /** Matches a physical operator; extracts its step and its child. */
  def unapply(plan: SparkPlan): Option[(ResultStep, SparkPlan)] = plan match {
    case ProjectExec(list, child) => Some((Projection(list, child.output), child))
    case FilterExec(condition, child) => Some((Selection(condition, child.output), child))
    case _ => None
  }
}
