package org.apache.spark.sql.catalyst.eddyline

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}

/** Returns a column whose values, also those in structs, arrays and maps, may be NULL. */
object NullableColumn {
  def apply(column: Attribute): Attribute = column match {
    case reference: AttributeReference =>
      reference.copy(dataType = reference.dataType.asNullable, nullable = true)(
        reference.exprId, reference.qualifier)
    case other => other.withNullability(true)
  }
}
