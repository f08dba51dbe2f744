package org.apache.spark.sql.catalyst.optimizer.eddyline

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.{InsertMapSortExpression, NormalizeFloatingNumbers}

/** Spark's rewrites to a form in which equal values are equal bytes. */
object CanonicalForm {

  /** The entries of each map, also inside of structs and arrays, in the order of their keys. */
  def ofMaps(expression: Expression): Expression =
    if (InsertMapSortExpression.mapTypeExistsRecursively(expression)) {
      InsertMapSortExpression.insertMapSortRecursively(expression)
    } else {
      expression
    }

  /** One zero and one NaN, as GROUP BY has them. */
  def ofFloats(expression: Expression): Expression = NormalizeFloatingNumbers.normalize(expression)
}
