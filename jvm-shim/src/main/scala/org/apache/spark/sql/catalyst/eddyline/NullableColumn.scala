package org.apache.spark.sql.catalyst.eddyline

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}

/** Turns columns into those whose values may be NULL, also inside structs, arrays and maps. */
object NullableColumn {
  def apply(column: Attribute): Attribute = column match {
    case reference: AttributeReference =>
      reference.copy(dataType = reference.dataType.asNullable, nullable = true)(
        reference.exprId, reference.qualifier)
    case other => other.withNullability(true)
  }
}
