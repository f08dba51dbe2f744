package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * The aggregation buffer of one group after another, in one task.
 *
 * @param keys the columns of the key
 * @param value the columns of the value that the state has of a key
 * @param merging merges a row of the state into a buffer
 * @param updates for each branch, what its rows update
 * @param input the columns of the rows
 */
private[emit] class GroupBuffer(
    partition: Int,
    keys: Seq[Attribute],
    value: Seq[Attribute],
    merging: AggregationPhase,
    updates: Seq[AggregationPhase],
    input: Seq[Attribute]) {
  private val branches = updates.map(new RowAggregation(partition, _, input)).toArray
  private val repeatsKey = value.size > merging.bufferTypes.size // format 1 of the state

  /** Whether the value in the state is the buffer itself, which updates change in place. */
  private val isInPlace = !repeatsKey && merging.isDeclarative &&
    merging.bufferTypes.forall(UnsafeRow.isFixedLength)
  private val joined = new JoinedRow
  private val keyAndBuffer = new JoinedRow
  private lazy val merger = new RowAggregation(
    partition, merging, if (repeatsKey) value else keys ++ value)
  private lazy val valueOf = {
    val columns = (keys.map(_.dataType) ++ merging.bufferTypes).zipWithIndex.map {
      case (dataType, i) => BoundReference(i, dataType, nullable = true)
    }
    UnsafeProjection.create(columns.takeRight(value.size))
  }
  private lazy val empty =
    valueOf(keyAndBuffer(new GenericInternalRow(keys.size), newBuffer())).copy()
  private var key: UnsafeRow = _
  private var stored: UnsafeRow = _
  private var buffer: InternalRow = _
  private var inPlace: UnsafeRow = _

  private def newBuffer(): InternalRow = branches.head.newBuffer()

  /** Begins a group. The value that the state has of its key is null if the state has none. */
  def begin(groupKey: UnsafeRow, storedValue: UnsafeRow): Unit = {
    key = groupKey
    stored = storedValue
    if (isInPlace) {
      inPlace = (if (stored == null) empty else stored).copy()
      buffer = inPlace
    } else {
      buffer = newBuffer()
      if (stored != null && merging.isDeclarative) merger.update(buffer, rowOf(joined, key, stored))
    }
  }

  /** Updates the buffer of the group by a row of a branch. */
  def update(branch: Int, row: InternalRow): Unit = branches(branch).update(buffer, row)

  /** Ends the group; returns its value for the state, which is valid until the next call. */
  def end(): UnsafeRow =
    if (isInPlace) inPlace
    else if (merging.isDeclarative) valueOf(keyAndBuffer(key, buffer))
    else if (stored == null) serialized(buffer)
    else {
      // A function over objects may not take rows after it has merged, such as theta_sketch_agg.
      val merged = merger.newBuffer()
      merger.update(merged, rowOf(joined, key, stored))
      merger.update(merged, rowOf(joined, key, serialized(buffer)))
      serialized(merged)
    }

  private def serialized(buffer: InternalRow): UnsafeRow = {
    branches.head.serialize(buffer)
    valueOf(keyAndBuffer(key, buffer))
  }

  /** Returns a row of the state: `joined` of both, or the value alone if it repeats the key. */
  def rowOf(joined: JoinedRow, groupKey: UnsafeRow, groupValue: UnsafeRow): InternalRow =
    if (repeatsKey) groupValue else joined(groupKey, groupValue)
}
