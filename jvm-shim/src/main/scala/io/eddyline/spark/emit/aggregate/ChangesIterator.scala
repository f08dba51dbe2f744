package io.eddyline.spark.emit.aggregate

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.eddyline.RowBuffer

/**
 * The rows of one partition that an operator emits. It processes all input rows and commits its
 * state store before it returns the first: `isEmpty` and `limit` may stop after one row, and Spark
 * fails a micro-batch whose store is not committed. An aggregation, which the operator may replace,
 * also reads all rows first. In real-time mode it returns each row at once, and commits after the
 * last one, as Spark's aggregation does there: its sinks read all rows.
 *
 * @param isRealTime whether rows come, and are awaited, one by one
 * @param emitted counts the emitted rows for the query progress
 * @param outputRows counts the emitted rows for the UI
 */
private[emit] abstract class ChangesIterator(
    input: Iterator[InternalRow], isRealTime: Boolean, emitted: SQLMetric, outputRows: SQLMetric)
  extends Iterator[InternalRow] {

  /**
   * Processes one input row, and emits what it changes. An emitted row must stay as it is until the
   * next input row.
   */
  protected def change(row: InternalRow, emit: UnsafeRow => Unit): Unit

  /** Emits rows after the last input row. Called once. */
  protected def finish(emit: UnsafeRow => Unit): Unit = ()

  /** Commits the state store. Called once, after [[finish]]. */
  protected def commit(): Unit

  private lazy val changes: Iterator[UnsafeRow] = {
    val buffer = new RowBuffer
    if (isRealTime) {
      oneByOne ++ ending(buffer)
    } else {
      val emit = (row: UnsafeRow) => buffer.add(counted(row))
      input.foreach(change(_, emit))
      ending(buffer)
    }
  }

  private def oneByOne: Iterator[UnsafeRow] = {
    val changes = ArrayBuffer.empty[UnsafeRow]
    val emit = (row: UnsafeRow) => changes += counted(row): Unit
    input.flatMap { row =>
      changes.clear()
      change(row, emit)
      changes.iterator
    }
  }

  /** Ends the partition; returns the rows in the buffer and those after the last input row. */
  private def ending(buffer: RowBuffer): Iterator[UnsafeRow] = {
    finish(row => buffer.add(counted(row)))
    commit()
    buffer.iterator
  }

  private def counted(row: UnsafeRow): UnsafeRow = {
    emitted += 1
    outputRows += 1
    row
  }

  override def hasNext: Boolean = changes.hasNext

  override def next(): InternalRow = changes.next()
}
