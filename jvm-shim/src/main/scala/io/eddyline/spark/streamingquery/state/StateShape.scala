package io.eddyline.spark.streamingquery.state

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan

import io.eddyline.spark.streamingquery.validation.{ComparedExpression, OperatorShape}

/**
 * What the state of a query consists of, as its checkpoint keeps it.
 *
 * @param version the version of this form and of the spelling of expressions in it
 * @param spark the version of Spark, which decides about the buffers of a function
 * @param operators the stateful operators, in the order of their ids
 */
private[state] case class StateShape(version: Int, spark: String, operators: Seq[StoredOperator]) {

  /** Whether the expressions of another shape are comparable with those of this one. */
  def isComparable(other: StateShape): Boolean =
    version == other.version && spark == other.spark

  /** Says what differs in another shape; None if it is the same. */
  def differenceTo(other: StateShape): Option[String] =
    operators.map(Some(_)).zipAll(other.operators.map(Some(_)), None, None).collectFirst {
      case (Some(before), Some(after)) if before.kind == after.kind && before != after =>
        before.differenceTo(after)
      case (before, after) if before != after =>
        s"it was that of ${StateShape.kind(before)} and is that of ${StateShape.kind(after)}"
    }
}

private[state] object StateShape {

  /** Must change with this form, with [[OperatorShape]] and with [[ExpressionType]]. */
  val VERSION = 1

  /** The shape of a planned micro-batch. */
  def of(plan: SparkPlan): StateShape =
    StateShape(VERSION, SPARK_VERSION, OperatorShape.of(plan, typed).map(stored))

  private def kind(operator: Option[StoredOperator]): String =
    operator.fold("no operator")(_.kind)

  private def typed(expression: Expression): ComparedExpression =
    ComparedExpression.named(ExpressionType.of(expression))

  private def stored(operator: OperatorShape): StoredOperator =
    StoredOperator(operator.kind,
      operator.parts.map(part => StoredPart(part.name, part.items.map(_.sql))))
}

/**
 * A stateful operator.
 *
 * @param kind the operator in words
 */
private[state] case class StoredOperator(kind: String, parts: Seq[StoredPart]) {

  /** Says what differs in another operator of the same kind. */
  def differenceTo(other: StoredOperator): String = parts.zip(other.parts).collect {
    case (before, after) if before != after =>
      s"the ${before.name} of $kind was ${before.text} and is ${after.text}"
  }.mkString("; ")
}

/**
 * A part of a stateful operator.
 *
 * @param name `key`, `aggregate` …
 * @param items what it consists of, in the order of the state
 */
private[state] case class StoredPart(name: String, items: Seq[String]) {
  def text: String = if (items.isEmpty) "nothing" else items.mkString(", ")
}
