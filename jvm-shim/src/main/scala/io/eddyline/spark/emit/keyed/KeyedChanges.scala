package io.eddyline.spark.emit.keyed

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

import io.eddyline.spark.emit.aggregate._

/**
 * The rows that EMIT ON CHANGE KEY emits in one partition: first the changed rows, in their order,
 * then the rows that HEARTBEAT repeats and those of the keys that expire, if deletes are reported.
 *
 * @param state what the store holds
 * @param expired whether the state of a key is removed; None if state is never removed
 * @param watermark the event time, in microseconds, that rows without one get
 * @param repeats whether rows may have to be repeated in the micro-batch
 * @param nextHeartbeat gets the earliest time at which a row is repeated later
 * @param isRealTime whether rows come, and are awaited, one by one
 * @param mayRepeat whether rows are emitted even if they change nothing
 * @param metric the operator's metrics by name
 */
private[emit] abstract class KeyedChanges(
    state: KeyState,
    store: StateStore,
    rows: Iterator[InternalRow],
    expired: Option[UnsafeRowPair => Boolean],
    watermark: Long,
    repeats: Boolean,
    nextHeartbeat: EarliestTime,
    isRealTime: Boolean,
    mayRepeat: Boolean,
    metric: String => SQLMetric)
  extends ChangesIterator(
    rows, isRealTime, metric(EmitMetrics.EMITTED), metric("numOutputRows")) {

  private val codec = new KeyStateCodec(state, watermark)
  private val comparison = new ContentComparison(state)
  private val toUnsafe = UnsafeProjection.create(state.output, state.output)

  private val byOrder = state.ordering.map { by =>
    val value = BoundReference(0, by.dataType, nullable = true)
    new InterpretedOrdering(Seq(SortOrder(value, Ascending)))
  }
  private val timePlace = state.time.map(_ => state.ordering.size)
  private val toSeen = UnsafeProjection.create(state.seen, state.seen)
  private val laterSeen = new SpecificInternalRow(state.seen.map(_.dataType))

  private val values = StateWriteCache(isRealTime)(
    store.get(_, StateStore.DEFAULT_COL_FAMILY_NAME), write, erase)
  private val deletes = state.deletes.map(Predicate.create(_, state.output))
  private val reported =
    new ChangeEmitter(state.output, state.output, state.changeType, metric)

  private val interval = state.heartbeatMicros
  private val now = state.heartbeat.fold(0L)(_.batchTime)

  private val dropped = metric(EmitMetrics.DROPPED)
  private val updated = metric("numUpdatedStateRows")
  private val removed = metric("numRemovedStateRows")
  private val tolerated = state.tolerances.headOption.map(_ => metric(EmitMetrics.TOLERATED))
  private val outOfOrder = state.ordering.map(_ => metric(EmitMetrics.OUT_OF_ORDER))
  private val heartbeats = state.heartbeat.map(_ => metric(EmitMetrics.HEARTBEATS))
  private val expiredKeys = state.expiry.map(_ => metric(EmitMetrics.EXPIRED))

  override protected def change(row: InternalRow, emit: UnsafeRow => Unit): Unit = {
    val key = codec.key(row)
    val again = mayRepeat && !values.isRecent(key)
    val seen = codec.seen(row)
    val stored = values.get(key)
    if (stored != null && byOrder.exists(_.lt(seen, codec.seenOf(stored)))) {
      outOfOrder.foreach(_ += 1)
      keep(key, later(codec.seenOf(stored), seen), stored) // it is one of the rows of its key, too
    } else if (deletes.exists(_.eval(row))) {
      delete(row, key, seen, stored, again, emit)
    } else if (stored == null || codec.isDeleted(stored)) {
      reported.insert(unsafe(row), emit)
      emitted(key, codec.content(row), latest(seen, stored))
    } else {
      update(row, key, seen, stored, again, emit)
    }
  }

  /**
   * Removes the state of a key, or all of it but the order value.
   *
   * @param again whether a row may have been emitted that the state does not know
   */
  private def delete(
      row: InternalRow,
      key: UnsafeRow,
      seen: UnsafeRow,
      stored: UnsafeRow,
      again: Boolean,
      emit: UnsafeRow => Unit): Unit = {
    if (stored != null && !codec.isDeleted(stored)) {
      reported.delete(codec.rowOf(key, stored), emit)
    } else if (again) {
      reported.delete(unsafe(row), emit)
    }
    if (state.keepsDeleted) {
      val content = codec.content(row)
      values.put(key, codec.value(content, latest(seen, stored), now, deleted = true))
    } else if (stored != null) {
      values.remove(key)
    }
  }

  /** Updates the state of a key that has one, and emits the row if it is a change. */
  private def update(
      row: InternalRow,
      key: UnsafeRow,
      seen: UnsafeRow,
      stored: UnsafeRow,
      again: Boolean,
      emit: UnsafeRow => Unit): Unit = {
    val before = codec.contentOf(stored)
    val content = codec.content(row)
    val latest = this.latest(seen, stored)
    val differs = comparison.differ(before, content)
    if (differs || again || isDue(stored)) {
      if (!differs) heartbeats.foreach(_ += 1)
      reported.update(codec.rowOf(key, stored), unsafe(row), emit)
      emitted(key, content, latest)
    } else {
      dropped += 1
      if (comparison.isTolerated(before, content)) tolerated.foreach(_ += 1)
      keep(key, latest, stored)
    }
  }

  /** Stores what was last seen of a key, whose content stays as it is. */
  private def keep(key: UnsafeRow, latest: UnsafeRow, stored: UnsafeRow): Unit =
    if (latest != codec.seenOf(stored)) {
      val content = codec.contentOf(stored)
      values.put(key, codec.value(content, latest, lastEmission(stored), codec.isDeleted(stored)))
    }

  /** Returns what was seen of a key after a row that is not out of order. */
  private def latest(seen: UnsafeRow, stored: UnsafeRow): UnsafeRow =
    if (stored == null) seen else later(seen, codec.seenOf(stored))

  /** Returns the order value of one row with the later event time of two. */
  private def later(one: UnsafeRow, other: UnsafeRow): UnsafeRow =
    if (timePlace.exists(place => other.getLong(place) > one.getLong(place))) {
      state.ordering.foreach(by => laterSeen.update(0, one.get(0, by.dataType)))
      timePlace.foreach(place => laterSeen.setLong(place, other.getLong(place)))
      toSeen(laterSeen)
    } else {
      one
    }

  override protected def finish(emit: UnsafeRow => Unit): Unit = {
    values.flush()
    if (expired.nonEmpty || repeats) {
      val pairs = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
      pairs.foreach { pair =>
        if (expired.exists(_(pair))) expire(pair, emit)
        else if (!codec.isDeleted(pair.value)) repeatIfDue(pair, emit)
      }
      pairs.close()
    }
  }

  private def expire(pair: UnsafeRowPair, emit: UnsafeRow => Unit): Unit = {
    // a window that the watermark has passed is final, and no delete
    if (state.expiry.nonEmpty && !codec.isDeleted(pair.value)) {
      reported.delete(codec.rowOf(pair.key, pair.value), emit)
    }
    erase(pair.key)
    expiredKeys.foreach(_ += 1)
  }

  private def erase(key: UnsafeRow): Unit = {
    store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    removed += 1
  }

  private def repeatIfDue(pair: UnsafeRowPair, emit: UnsafeRow => Unit): Unit =
    if (isDue(pair.value)) {
      val row = codec.rowOf(pair.key, pair.value)
      reported.update(row, row, emit)
      heartbeats.foreach(_ += 1)
      write(
        pair.key, codec.value(codec.contentOf(pair.value), codec.seenOf(pair.value), now))
      awaitHeartbeat()
    } else {
      interval.foreach(length => nextHeartbeat.add(lastEmission(pair.value) + length))
    }

  private def isDue(stored: UnsafeRow): Boolean = interval.exists(now - lastEmission(stored) >= _)

  private def lastEmission(stored: UnsafeRow): Long =
    interval.fold(0L)(_ => codec.emittedOf(stored))

  /** Records that the row of a key is emitted now. */
  private def emitted(key: UnsafeRow, content: UnsafeRow, seen: UnsafeRow): Unit = {
    values.put(key, codec.value(content, seen, now))
    awaitHeartbeat()
  }

  private def awaitHeartbeat(): Unit = interval.foreach(length => nextHeartbeat.add(now + length))

  private def write(key: UnsafeRow, value: UnsafeRow): Unit = {
    store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
    updated += 1
  }

  private def unsafe(row: InternalRow): UnsafeRow = row match {
    case unsafe: UnsafeRow => unsafe
    case other => toUnsafe(other)
  }
}
