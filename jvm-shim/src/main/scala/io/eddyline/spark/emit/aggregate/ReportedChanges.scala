package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.eddyline.spark.base.ChangeTypes
import io.eddyline.spark.emit.clause.ChangeType

/**
 * Emits the changes of one task, with their type if the query asks for it. An emitted row is valid
 * until the next change.
 *
 * @param input the columns of a row
 * @param columns those of them that stand before the type of the change
 * @param changeType WITH CHANGE TYPE; None if rows are emitted as they are, and none that is gone
 * @param metric the operator's metrics by name
 */
private[emit] class ReportedChanges(
    input: Seq[Attribute],
    columns: Seq[Attribute],
    changeType: Option[ChangeType],
    metric: String => SQLMetric) {
  private val isTyped = changeType.nonEmpty
  private val hasBefore = changeType.exists(_.before)
  private lazy val before = new Typed
  private lazy val after = new Typed
  private lazy val deletes = metric(EmitMetrics.DELETES)

  /** Emits a row of a key that had none. */
  def insert(row: UnsafeRow, emit: UnsafeRow => Unit): Unit =
    emit(if (isTyped) after(row, ChangeTypes.INSERT) else row)

  /** Emits a row that replaces the old one. */
  def update(old: => UnsafeRow, row: UnsafeRow, emit: UnsafeRow => Unit): Unit = {
    if (hasBefore) emit(before(old, ChangeTypes.PREIMAGE))
    emit(if (isTyped) after(row, ChangeTypes.POSTIMAGE) else row)
  }

  /** Emits the row that is gone, which is null if there was none. */
  def delete(old: => UnsafeRow, emit: UnsafeRow => Unit): Unit = if (isTyped) {
    val row = old
    if (row != null) {
      deletes += 1
      emit(before(row, ChangeTypes.DELETE))
    }
  }

  /** Gives rows the column with the type. */
  private class Typed {
    private val change = new GenericInternalRow(1)
    private val joined = new JoinedRow
    private val typed = {
      val column = BoundReference(input.size, StringType, nullable = false)
      UnsafeProjection.create(BindReferences.bindReferences(columns, input) :+ column)
    }

    def apply(row: UnsafeRow, of: UTF8String): UnsafeRow = {
      change.update(0, of)
      typed(joined(row, change))
    }
  }
}
