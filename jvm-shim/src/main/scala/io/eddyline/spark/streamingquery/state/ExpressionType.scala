package io.eddyline.spark.streamingquery.state

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.types.DataType

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
