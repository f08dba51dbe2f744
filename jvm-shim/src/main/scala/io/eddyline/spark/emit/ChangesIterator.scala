package io.eddyline.spark.emit

import java.util.NoSuchElementException

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * The rows of one partition that an operator forwards; the end of its input commits its store.
 *
 * @param emitted counts them for the progress
 * @param outputRows counts them for the UI
 */
private[emit] abstract class ChangesIterator(
    input: Iterator[InternalRow], emitted: SQLMetric, outputRows: SQLMetric)
  extends Iterator[InternalRow] {
  private var upcoming: InternalRow = _
  private var ended = false

  /** Take in one row; the row to forward for it, or null if there is none. */
  protected def changed(row: InternalRow): InternalRow

  /** Runs once, behind the last row. */
  protected def commit(): Unit

  override def hasNext: Boolean = {
    while (upcoming == null && !ended) {
      if (input.hasNext) {
        upcoming = changed(input.next())
      } else {
        ended = true
        commit()
      }
    }
    upcoming != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("end of the changes")
    val row = upcoming
    upcoming = null
    emitted += 1
    outputRows += 1
    row
  }
}
