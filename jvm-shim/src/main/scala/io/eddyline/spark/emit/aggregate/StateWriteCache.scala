package io.eddyline.spark.emit.aggregate

import java.util.LinkedHashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a state store that a micro-batch has changed. Up to `capacity` of them, those used
 * last, are written when they leave, so that a key of which row after row comes is written once, as
 * in Spark's own aggregation in real-time mode. With a capacity of 0 each is written at once.
 *
 * @param read returns the stored row of a key, or null
 * @param write stores the row of a key
 * @param delete removes the row of a key
 */
private[emit] class StateWriteCache(
    capacity: Int,
    read: UnsafeRow => UnsafeRow,
    write: (UnsafeRow, UnsafeRow) => Unit,
    delete: UnsafeRow => Unit = _ => ()) {

  private val rows = new LinkedHashMap[UnsafeRow, UnsafeRow](16, 0.75f, true)

  /** Returns the row of a key, or null; it is valid until the next call. */
  def get(key: UnsafeRow): UnsafeRow = {
    val changed = if (capacity == 0) null else rows.get(key)
    if (changed == null) read(key) else changed
  }

  /** Whether the row of a key was put and is not written yet. */
  def isRecent(key: UnsafeRow): Boolean = rows.containsKey(key)

  def put(key: UnsafeRow, row: UnsafeRow): Unit =
    if (capacity == 0) {
      write(key, row)
    } else if (rows.replace(key, row.copy()) == null) {
      rows.put(key.copy(), row.copy())
      if (rows.size > capacity) writeEldest()
    }

  def remove(key: UnsafeRow): Unit = {
    rows.remove(key)
    delete(key)
  }

  private def writeEldest(): Unit = {
    val entries = rows.entrySet.iterator
    val eldest = entries.next()
    write(eldest.getKey, eldest.getValue)
    entries.remove()
  }

  /** Writes all rows, before the store is read as a whole or committed. */
  def flush(): Unit = {
    rows.forEach((key, row) => write(key, row))
    rows.clear()
  }
}

private[emit] object StateWriteCache {

  /** How many rows Spark's aggregation keeps in real-time mode. */
  private val CAPACITY = 1000

  def apply(isRealTime: Boolean)(
      read: UnsafeRow => UnsafeRow,
      write: (UnsafeRow, UnsafeRow) => Unit,
      delete: UnsafeRow => Unit = _ => ()): StateWriteCache =
    new StateWriteCache(if (isRealTime) CAPACITY else 0, read, write, delete)
}
