package io.eddyline.spark.emit.keyed

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}

import io.eddyline.spark.emit.aggregate._
import io.eddyline.spark.emit.clause.Tolerance

/**
 * The rows that EMIT ON CHANGE KEY emits in one partition: first the changed rows in their order,
 * then the rows that HEARTBEAT repeats and, with WITH CHANGE TYPE, deletes of the keys that expire.
 *
 * @param state the options, and what is in the state of a key
 * @param expired whether the state of a key is removed; None if no state is ever removed
 * @param watermark the event time in microseconds of rows in which it is NULL
 * @param repeats whether rows may have to be repeated in the micro-batch
 * @param nextHeartbeat gets the times at which rows are repeated later
 * @param isRealTime whether rows come one by one and are awaited
 * @param reemitsAll whether rows are emitted even if they change nothing
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
    reemitsAll: Boolean,
    metric: String => SQLMetric)
  extends ChangesIterator(rows, isRealTime, metric(EmitMetrics.EMITTED), metric("numOutputRows")) {

  private val codec = new KeyStateCodec(state, watermark)
  private val comparison = new ContentComparison(state)
  private val toUnsafe = UnsafeProjection.create(state.output, state.output)

  private val byOrder = state.ordering.map { by =>
    val value = BoundReference(0, by.dataType, nullable = true)
    new InterpretedOrdering(Seq(SortOrder(value, Ascending)))
  }
  private val timeOrdinal = state.time.map(_ => state.ordering.size)
  private val toSeen = UnsafeProjection.create(state.seen, state.seen)
  private val laterSeen = new SpecificInternalRow(state.seen.map(_.dataType))

  private val values = StateWriteCache(isRealTime)(
    store.get(_, StateStore.DEFAULT_COL_FAMILY_NAME), write, erase)
  private val deletes = state.deletes.map(Predicate.create(_, state.output))
  private val changeEmitter =
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
    val reemit = reemitsAll && !values.isCached(key)
    val seen = codec.seen(row)
    val stored = values.get(key)
    if (stored != null && byOrder.exists(_.lt(seen, codec.seenOf(stored)))) {
      outOfOrder.foreach(_ += 1)
      keep(key, later(codec.seenOf(stored), seen), stored) // its event time counts, too
    } else if (deletes.exists(_.eval(row))) {
      delete(row, key, seen, stored, reemit, emit)
    } else if (stored == null || codec.isDeleted(stored)) {
      changeEmitter.insert(unsafe(row), emit)
      emitted(key, codec.content(row), latest(seen, stored))
    } else update(row, key, seen, stored, reemit, emit)
  }

  /**
   * Removes the state of a key, or all of it except the value of ORDER BY.
   *
   * @param reemit whether an earlier run may have emitted a row without storing it
   */
  private def delete(
      row: InternalRow,
      key: UnsafeRow,
      seen: UnsafeRow,
      stored: UnsafeRow,
      reemit: Boolean,
      emit: UnsafeRow => Unit): Unit = {
    if (stored != null && !codec.isDeleted(stored)) {
      changeEmitter.delete(codec.rowOf(key, stored), emit)
    } else if (reemit) {
      changeEmitter.delete(unsafe(row), emit)
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
      reemit: Boolean,
      emit: UnsafeRow => Unit): Unit = {
    val before = codec.contentOf(stored)
    val content = codec.content(row)
    val latest = this.latest(seen, stored)
    val differs = comparison.differ(before, content)
    if (differs || reemit || isDue(stored)) {
      if (!differs) heartbeats.foreach(_ += 1)
      changeEmitter.update(codec.rowOf(key, stored), unsafe(row), emit)
      emitted(key, content, latest)
    } else {
      dropped += 1
      if (comparison.isTolerated(before, content)) tolerated.foreach(_ += 1)
      keep(key, latest, stored)
    }
  }

  /** Stores what was seen of a key, and leaves its content as it is. */
  private def keep(key: UnsafeRow, latest: UnsafeRow, stored: UnsafeRow): Unit =
    if (latest != codec.seenOf(stored)) {
      val content = codec.contentOf(stored)
      values.put(key, codec.value(content, latest, lastEmission(stored), codec.isDeleted(stored)))
    }

  /** Returns what was seen of a key after a row that is not out of order. */
  private def latest(seen: UnsafeRow, stored: UnsafeRow): UnsafeRow =
    if (stored == null) seen else later(seen, codec.seenOf(stored))

  /** Returns the value of ORDER BY of one row, and the later event time of both. */
  private def later(one: UnsafeRow, other: UnsafeRow): UnsafeRow =
    if (timeOrdinal.exists(place => other.getLong(place) > one.getLong(place))) {
      state.ordering.foreach(by => laterSeen.update(0, one.get(0, by.dataType)))
      timeOrdinal.foreach(place => laterSeen.setLong(place, other.getLong(place)))
      toSeen(laterSeen)
    } else one

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
    // not for a window that the watermark has passed, which is final
    if (state.expiry.nonEmpty && !codec.isDeleted(pair.value)) {
      changeEmitter.delete(codec.rowOf(pair.key, pair.value), emit)
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
      changeEmitter.update(row, row, emit)
      heartbeats.foreach(_ += 1)
      write(pair.key, codec.value(codec.contentOf(pair.value), codec.seenOf(pair.value), now))
      scheduleHeartbeat()
    } else interval.foreach(length => nextHeartbeat.add(lastEmission(pair.value) + length))

  private def isDue(stored: UnsafeRow): Boolean = interval.exists(now - lastEmission(stored) >= _)

  private def lastEmission(stored: UnsafeRow): Long =
    interval.fold(0L)(_ => codec.emittedOf(stored))

  /** Stores that the row of a key is emitted now. */
  private def emitted(key: UnsafeRow, content: UnsafeRow, seen: UnsafeRow): Unit = {
    values.put(key, codec.value(content, seen, now))
    scheduleHeartbeat()
  }

  private def scheduleHeartbeat(): Unit =
    interval.foreach(length => nextHeartbeat.add(now + length))

  private def write(key: UnsafeRow, value: UnsafeRow): Unit = {
    store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
    updated += 1
  }

  private def unsafe(row: InternalRow): UnsafeRow = row match {
    case unsafe: UnsafeRow => unsafe
    case other => toUnsafe(other)
  }
}

/** Compares rows, or their hashes, in the state of [[EmitOnChangeKeyExec]], in one task. */
private[emit] class ContentComparison(state: KeyState) {

  private val tolerances: Array[(Int, Tolerance)] = state.tolerances.flatMap { column =>
    Tolerance.of(column.column.dataType, column.amount)
      .map(state.content.indexWhere(_.semanticEquals(column.column)) -> _)
  }.toArray

  /** The projections to the columns that must be equal, of each side; None if all must be. */
  private val exact: Option[(UnsafeProjection, UnsafeProjection)] = {
    val tolerated = AttributeSet(state.tolerances.map(_.column))
    val columns = ComparedColumns.expressions(state.compared.filterNot(tolerated.contains))
    def projection = UnsafeProjection.create(columns, state.content)
    Option.when(tolerances.nonEmpty || state.keepsRow)((projection, projection))
  }

  /** Whether a compared column differs, by more than TOLERANCE if it has one. */
  def differ(before: UnsafeRow, after: UnsafeRow): Boolean = {
    val agree = exact.fold(before == after) { case (ofBefore, ofAfter) =>
      ofBefore(before) == ofAfter(after)
    }
    !agree ||
    !tolerances.forall { case (column, tolerance) => tolerance.covers(before, after, column) }
  }

  /** Whether a column with TOLERANCE has another value, in rows that do not differ. */
  def isTolerated(before: UnsafeRow, after: UnsafeRow): Boolean =
    tolerances.exists { case (column, tolerance) => !tolerance.isEqual(before, after, column) }
}
