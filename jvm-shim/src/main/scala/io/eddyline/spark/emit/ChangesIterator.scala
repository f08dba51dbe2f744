package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.eddyline.RowBuffer

/**
 * The rows of one partition that an operator forwards. It takes in all rows and commits its store
 * before it gives away the first: `isEmpty` and `limit` ask for no second row, and Spark fails a
 * micro-batch with a store that is not committed. An aggregation, in whose place the operator may
 * stand, takes in all rows first too.
 *
 * @param emitted counts them for the progress
 * @param outputRows counts them for the UI
 */
private[emit] abstract class ChangesIterator(
    input: Iterator[InternalRow], emitted: SQLMetric, outputRows: SQLMetric)
  extends Iterator[InternalRow] {

  /** Take in one row; the row to forward for it, or null if there is none. */
  protected def changed(row: InternalRow): UnsafeRow

  /** Runs once, behind the last row. */
  protected def commit(): Unit

  private lazy val changes: Iterator[UnsafeRow] = {
    val buffer = new RowBuffer
    input.map(changed).filter(_ != null).foreach { row =>
      buffer.add(row)
      emitted += 1
      outputRows += 1
    }
    commit()
    buffer.iterator
  }

  override def hasNext: Boolean = changes.hasNext

  override def next(): InternalRow = changes.next()
}
