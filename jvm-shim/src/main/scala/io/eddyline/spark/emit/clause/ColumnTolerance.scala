package io.eddyline.spark.emit.clause

import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, Unevaluable}
import org.apache.spark.sql.types.{DataType, NullType}

/**
 * The amount of TOLERANCE for a column, as in `TOLERANCE (price 0.5)`. Its position in the SQL text
 * is that of the column: Spark gives a resolved column the position of any use of it.
 *
 * @param left the column of the result
 * @param right the amount: a number, or an interval for dates and timestamps
 */
case class ColumnTolerance(left: Expression, right: Expression)
  extends BinaryExpression with Unevaluable {

  def column: Expression = left

  def amount: Expression = right

  override def dataType: DataType = NullType

  override def sql: String = s"${column.sql} ${amount.sql}"

  override protected def withNewChildrenInternal(
      newLeft: Expression, newRight: Expression): ColumnTolerance = copy(newLeft, newRight)
}
