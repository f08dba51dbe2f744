package org.apache.spark.sql.execution.streaming.eddyline

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray
import org.apache.spark.sql.internal.SQLConf

/**
 * A buffer of rows of a task, which spills them to disk if memory is short: Spark's own buffer of
 * window functions, with their limits. Only code in Spark's packages can create it.
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

  /** Adds a copy of the row. */
  def add(row: UnsafeRow): Unit = rows.add(row)

  /** The rows in the order in which they were added; each is valid until the next one is read. */
  def iterator: Iterator[UnsafeRow] = rows.generateIterator()
}
