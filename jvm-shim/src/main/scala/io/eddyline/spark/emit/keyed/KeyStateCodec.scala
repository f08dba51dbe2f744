package io.eddyline.spark.emit.keyed

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.eddyline.CanonicalForm

import io.eddyline.spark.emit.aggregate.ComparedColumns

/**
 * Converts between rows of the query and the state of [[EmitOnChangeKeyExec]] in one task.
 *
 * A value of the state consists of the content (the row last emitted, or its hash), of what was
 * seen (the highest value of ORDER BY and the latest event time), of the time of the last emission,
 * and of whether the key is deleted. A returned row is valid until the next call of the same
 * method.
 *
 * @param watermark the event time in microseconds of rows in which it is NULL
 */
private[emit] class KeyStateCodec(state: KeyState, watermark: Long) {
  import state.{extras, heartbeat, keys, output, values}

  // as in GROUP BY, -0.0 and 0.0 are one key, and all NaN are
  private val toKey = UnsafeProjection.create(keys.map(CanonicalForm.ofFloats), output)

  // a row that is emitted again must be as it was: the entries of its maps are not sorted
  private val toContent = UnsafeProjection.create(
    if (state.keepsRow && !state.hashed) state.content
    else ComparedColumns.expressions(state.compared),
    output)
  private val hash = new RowHash

  private val toSeen = {
    val time = state.time.map(time => Coalesce(Seq(time, Literal(watermark, time.dataType))))
    UnsafeProjection.create(state.ordering.toSeq ++ time, output)
  }

  private val storedContent = UnsafeProjection.create(state.content, values)
  private val storedSeen = UnsafeProjection.create(state.seen, values)
  private lazy val storedRow = UnsafeProjection.create(output, keys ++ values)
  private val emittedOrdinal = state.content.size + state.seen.size
  private val deletedOrdinal = values.size - 1

  private val others = new GenericInternalRow(extras.size - state.seen.size)
  private val extrasOf = new JoinedRow
  private val valueOf = new JoinedRow
  private val toValue = UnsafeProjection.create(values, values)
  private val keyAndValue = new JoinedRow

  /** Returns the key of a row of the query. */
  def key(row: InternalRow): UnsafeRow = toKey(row)

  /** Returns the content for a row of the query that is emitted. */
  def content(row: InternalRow): UnsafeRow =
    if (state.hashed) hash(toContent(row)) else toContent(row)

  /** Returns the value of ORDER BY and the event time of a row of the query. */
  def seen(row: InternalRow): UnsafeRow = toSeen(row)

  /** Returns the content of a value of the state. */
  def contentOf(value: UnsafeRow): UnsafeRow = if (extras.isEmpty) value else storedContent(value)

  /** Returns the highest value of ORDER BY and the latest event time in a value of the state. */
  def seenOf(value: UnsafeRow): UnsafeRow = storedSeen(value)

  /** Returns the time of the last emission in a value of the state, in microseconds. */
  def emittedOf(value: UnsafeRow): Long = value.getLong(emittedOrdinal)

  /** Whether a value of the state is that of a deleted key. */
  def isDeleted(value: UnsafeRow): Boolean = state.keepsDeleted && value.getBoolean(deletedOrdinal)

  /** Returns the row last emitted, from a state that keeps rows. */
  def rowOf(key: UnsafeRow, value: UnsafeRow): UnsafeRow = storedRow(keyAndValue(key, value))

  /** Returns a value of the state. The time `emitted` is stored only with HEARTBEAT. */
  def value(
      content: UnsafeRow, seen: InternalRow, emitted: Long, deleted: Boolean = false): UnsafeRow =
    if (extras.isEmpty) {
      content
    } else {
      if (heartbeat.nonEmpty) others.update(0, emitted)
      if (state.keepsDeleted) others.update(others.numFields - 1, deleted)
      toValue(valueOf(content, extrasOf(seen, others)))
    }
}
