package io.eddyline.spark.streamingquery.state

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.DataType

import io.eddyline.spark.streamingquery.validation.{ComparedExpression, OperatorShape}

/**
 * Describes the state of a query; the checkpoint has it as a JSON file.
 *
 * @param version the version of this class and of the texts that describe expressions in it
 * @param spark the version of Spark, on which the buffers of an aggregate function depend
 * @param operators the stateful operators, in the order of their ids
 */
private[state] case class StateShape(version: Int, spark: String, operators: Seq[StoredOperator]) {

  /** Whether the expressions of another shape are comparable with those of this one. */
  def isComparable(other: StateShape): Boolean = version == other.version && spark == other.spark

  /** Says how the state differs in a later shape, as a clause for an error; None if it does not. */
  def differenceTo(other: StateShape): Option[String] =
    operators.map(Some(_)).zipAll(other.operators.map(Some(_)), None, None).collectFirst {
      case (Some(before), Some(after)) if before.kind == after.kind && before != after =>
        before.differenceTo(after)
      case (before, after) if before != after =>
        s"it was that of ${StateShape.kind(before)} and is that of ${StateShape.kind(after)}"
    }
}

private[state] object StateShape {

  /** Must be raised when this class, [[OperatorShape]] or [[ExpressionType]] changes. */
  val VERSION = 1

  /** Returns the shape of a planned micro-batch. */
  def of(plan: SparkPlan): StateShape =
    StateShape(
      VERSION,
      SPARK_VERSION,
      OperatorShape.of(plan, byType).map { operator =>
        StoredOperator(operator.kind,
          operator.parts.map(part => StoredPart(part.name, part.items.map(_.sql))))
      })

  private def kind(operator: Option[StoredOperator]): String = operator.fold("no operator")(_.kind)

  private def byType(expression: Expression): ComparedExpression =
    ComparedExpression.named(ExpressionType.of(expression))
}

/**
 * A stateful operator.
 *
 * @param kind the operator in words, such as `an aggregation`
 */
private[state] case class StoredOperator(kind: String, parts: Seq[StoredPart]) {

  /** Says what differs in a later operator of the same kind. */
  def differenceTo(other: StoredOperator): String = parts.zip(other.parts).collect {
    case (before, after) if before != after =>
      s"the ${before.name} of $kind was ${before.text} and is ${after.text}"
  }.mkString("; ")
}

/**
 * A part of a stateful operator.
 *
 * @param name `key`, `aggregate` …
 * @param items the texts of its expressions or options, in the order of the state
 */
private[state] case class StoredPart(name: String, items: Seq[String]) {
  def text: String = if (items.isEmpty) "nothing" else items.mkString(", ")
}

/**
 * Spells what the state has of an expression: its type and, of an aggregate, the function with the
 * types of its arguments and buffers. Checkpoints keep this text, so it has no names of classes and
 * nothing that depends on hash codes, aliases of functions or the order of branches.
 */
private[state] object ExpressionType {

  def of(expression: Expression): String = expression match {
    case call: AggregateExpression =>
      val function = call.aggregateFunction
      val distinct = if (call.isDistinct) "DISTINCT " else ""
      val filter = if (call.filter.isDefined) " FILTER" else ""
      val buffers = function.aggBufferSchema.map(field => typeOf(field.dataType))
      s"${nameOf(function)}($distinct${function.children.map(of).mkString(", ")})$filter " +
        buffers.mkString("[", ", ", "]")
    case other => typeOf(other.dataType)
  }

  /** The type without nullability, which is that of the rows and not of the state. */
  private def typeOf(dataType: DataType): String = dataType.catalogString

  /** The name of the function itself, and not the synonym that was typed. */
  private def nameOf(function: AggregateFunction): String = function match {
    case own: UserDefinedExpression => own.name
    case builtin =>
      val bare = builtin.clone()
      bare.unsetTagValue(FunctionRegistry.FUNC_ALIAS)
      bare match { case found: AggregateFunction => found.prettyName }
  }
}
