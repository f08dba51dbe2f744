package org.apache.spark.sql.execution.streaming.eddyline

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray
import org.apache.spark.sql.internal.SQLConf

/**
 * Rows of a task in the order they came, on disk where memory is short: Spark's own buffer, with
 * the limits of a window, which only code in Spark's packages can make.
 */
class RowBuffer {
  private val rows = {
    val conf = SQLConf.get
    new ExternalAppendOnlyUnsafeRowArray(
      conf.windowExecBufferInMemoryThreshold,
      conf.windowExecBufferSpillSizeThreshold,
      conf.windowExecBufferSpillThreshold,
      conf.windowExecBufferSpillSizeThreshold)
  }

  /** Keeps a copy of the row. */
  def add(row: UnsafeRow): Unit = rows.add(row)

  /** Each row is valid until the next. */
  def iterator: Iterator[UnsafeRow] = rows.generateIterator()
}
