package io.eddyline.spark.emit.aggregate

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.eddyline.RowBuffer

/**
 * The rows that an operator emits in one partition. It processes all input rows and commits its
 * state store before it returns the first one, as Spark's aggregations do: `isEmpty` and `limit`
 * may stop after one row, and Spark fails a micro-batch whose store is not committed. In real-time
 * mode it returns each row at once and commits after the last one, since sinks read all rows there.
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
      rowByRow ++ endPartition(buffer)
    } else {
      val emit = (row: UnsafeRow) => buffer.add(count(row))
      input.foreach(change(_, emit))
      endPartition(buffer)
    }
  }

  private def rowByRow: Iterator[UnsafeRow] = {
    val changes = ArrayBuffer.empty[UnsafeRow]
    val emit = (row: UnsafeRow) => changes += count(row): Unit
    input.flatMap { row =>
      changes.clear()
      change(row, emit)
      changes.iterator
    }
  }

  /** Ends the partition; returns the rows in the buffer and those after the last input row. */
  private def endPartition(buffer: RowBuffer): Iterator[UnsafeRow] = {
    finish(row => buffer.add(count(row)))
    commit()
    buffer.iterator
  }

  private def count(row: UnsafeRow): UnsafeRow = {
    emitted += 1
    outputRows += 1
    row
  }

  override def hasNext: Boolean = changes.hasNext

  override def next(): InternalRow = changes.next()
}
