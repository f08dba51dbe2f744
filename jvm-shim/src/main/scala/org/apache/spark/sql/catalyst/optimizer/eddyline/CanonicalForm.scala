package org.apache.spark.sql.catalyst.optimizer.eddyline

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.optimizer.{InsertMapSortExpression, NormalizeFloatingNumbers}
import org.apache.spark.sql.types.DataType

/** Spark's own rewrites of expressions, which give equal values equal bytes. */
object CanonicalForm {

  /** Sorts the entries of each map by key, also of maps in structs and arrays. */
  def ofMaps(expression: Expression): Expression =
    if (!InsertMapSortExpression.mapTypeExistsRecursively(expression)) expression
    else Interpreted(InsertMapSortExpression.insertMapSortRecursively(expression))

  /** Normalizes -0.0 to 0.0 and all NaNs to one, as GROUP BY does. */
  def ofFloats(expression: Expression): Expression = NormalizeFloatingNumbers.normalize(expression)
}

/**
 * Evaluates an expression without generated code. The code that Spark 4.3 generates for `MapSort`
 * reads a NULL value of a primitive type as 0, so `map('a', NULL)` would equal `map('a', 0)`.
 */
private[eddyline] case class Interpreted(child: Expression)
  extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = child.dataType

  override def eval(row: InternalRow): Any = child.eval(row)

  override protected def withNewChildInternal(newChild: Expression): Interpreted =
    copy(child = newChild)
}
