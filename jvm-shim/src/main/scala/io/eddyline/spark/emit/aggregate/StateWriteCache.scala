package io.eddyline.spark.emit.aggregate

import java.util.LinkedHashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * A write-back cache of a state store, as Spark's own aggregation has in real-time mode: a row is
 * written when it leaves the cache, so that a key which changes row by row is written once.
 *
 * @param capacity how many rows the cache has at most; the least recently used row leaves it first.
 *                 With 0 each row is written at once
 * @param read returns the stored row of a key, or null
 * @param write stores the row of a key
 * @param delete removes the row of a key from the store; needed only for [[remove]]
 */
private[emit] class StateWriteCache(
    capacity: Int,
    read: UnsafeRow => UnsafeRow,
    write: (UnsafeRow, UnsafeRow) => Unit,
    delete: UnsafeRow => Unit = _ => ()) {

  private val rows = new LinkedHashMap[UnsafeRow, UnsafeRow](16, 0.75f, true)

  /** Returns the row of a key, or null. It is valid until the next call. */
  def get(key: UnsafeRow): UnsafeRow = {
    val cached = if (capacity == 0) null else rows.get(key)
    if (cached == null) read(key) else cached
  }

  /** Whether the row of a key is in the cache. */
  def isCached(key: UnsafeRow): Boolean = rows.containsKey(key)

  def put(key: UnsafeRow, row: UnsafeRow): Unit =
    if (capacity == 0) {
      write(key, row)
    } else if (rows.replace(key, row.copy()) == null) {
      rows.put(key.copy(), row.copy())
      if (rows.size > capacity) writeEldest()
    }

  /** Removes the row of a key; it is removed from the store at once. */
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

  /** Writes all rows. Must be called before the store is read as a whole or committed. */
  def flush(): Unit = {
    rows.forEach((key, row) => write(key, row))
    rows.clear()
  }
}

private[emit] object StateWriteCache {

  /** The capacity of the cache of Spark's aggregation. */
  private val CAPACITY = 1000

  def apply(isRealTime: Boolean)(
      read: UnsafeRow => UnsafeRow,
      write: (UnsafeRow, UnsafeRow) => Unit,
      delete: UnsafeRow => Unit = _ => ()): StateWriteCache =
    new StateWriteCache(if (isRealTime) CAPACITY else 0, read, write, delete)
}
