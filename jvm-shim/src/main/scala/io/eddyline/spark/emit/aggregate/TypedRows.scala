package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/**
 * Gives rows the column of WITH CHANGE TYPE. A returned row is valid until the next call.
 *
 * @param input the columns of the rows
 * @param columns those of them that stand before the type
 */
private[emit] class TypedRows(input: Seq[Attribute], columns: Seq[Attribute]) {
  private val kind = new GenericInternalRow(1)
  private val joined = new JoinedRow
  private val typed = {
    val column = BoundReference(input.size, StringType, nullable = false)
    UnsafeProjection.create(BindReferences.bindReferences(columns, input) :+ column)
  }

  /** Returns the row as a change of this type. */
  def apply(row: InternalRow, change: UTF8String): UnsafeRow = {
    kind.update(0, change)
    typed(joined(row, kind))
  }
}
