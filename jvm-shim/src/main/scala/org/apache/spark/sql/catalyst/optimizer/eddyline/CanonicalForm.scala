package org.apache.spark.sql.catalyst.optimizer.eddyline

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.optimizer.{InsertMapSortExpression, NormalizeFloatingNumbers}
import org.apache.spark.sql.types.DataType

/** Spark's rewrites to a form in which equal values are equal bytes. */
object CanonicalForm {

  /** The entries of each map, also inside of structs and arrays, in the order of their keys. */
  def ofMaps(expression: Expression): Expression =
    if (InsertMapSortExpression.mapTypeExistsRecursively(expression)) {
      Interpreted(InsertMapSortExpression.insertMapSortRecursively(expression))
    } else {
      expression
    }

  /** One zero and one NaN, as GROUP BY has them. */
  def ofFloats(expression: Expression): Expression = NormalizeFloatingNumbers.normalize(expression)
}

/**
 * Evaluates an expression without generated code. The code that Spark 4.3 generates for `MapSort`
 * reads a NULL value of a primitive type as 0, so `map('a', NULL)` and `map('a', 0)` were one.
 */
private[eddyline] case class Interpreted(child: Expression)
  extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = child.dataType

  override def eval(row: InternalRow): Any = child.eval(row)

  override protected def withNewChildInternal(newChild: Expression): Interpreted =
    copy(child = newChild)
}
