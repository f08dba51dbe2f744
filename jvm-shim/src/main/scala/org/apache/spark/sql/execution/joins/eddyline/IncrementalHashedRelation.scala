package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.joins.HashedRelation

/**
 * A relation that is another one, which the executors have already, but for some keys: so only the
 * changes are sent. Each key has at most one row.
 *
 * @param base the broadcast of the base
 * @param changed the rows of keys that are not as in the base
 * @param gone rows with the keys that are in the base only
 */
private[joins] class IncrementalHashedRelation private[joins] (
    private var base: Broadcast[Any],
    private var changed: HashedRelation,
    private var gone: HashedRelation)
  extends BroadcastRelation {
  @transient private lazy val below: HashedRelation =
    base.value.asInstanceOf[HashedRelation].asReadOnlyCopy()

  def this() = this(null, null, null) // for deserialization

  override def asReadOnlyCopy(): IncrementalHashedRelation =
    new IncrementalHashedRelation(base, changed.asReadOnlyCopy(), gone.asReadOnlyCopy())

  override def keyIsUnique: Boolean = true

  override def getValue(key: InternalRow): InternalRow = {
    val row = changed.getValue(key)
    if (row != null) row
    else if (gone.getValue(key) != null) null
    else below.getValue(key)
  }

  override def getValue(key: Long): InternalRow = {
    val row = changed.getValue(key)
    if (row != null) row
    else if (gone.getValue(key) != null) null
    else below.getValue(key)
  }

  override def get(key: InternalRow): Iterator[InternalRow] = single(getValue(key))

  override def get(key: Long): Iterator[InternalRow] = single(getValue(key))

  override def keys(): Iterator[InternalRow] =
    below.keys().filter(gone.getValue(_) == null) ++
      changed.keys().filter(below.getValue(_) == null)

  /** The size of the changes. */
  override def estimatedSize: Long = changed.estimatedSize + gone.estimatedSize

  override def close(): Unit = {
    changed.close()
    gone.close()
  }

  override protected def parts: Array[AnyRef] = Array(base, changed, gone)

  override protected def restore(parts: Array[AnyRef]): Unit = {
    base = parts(0).asInstanceOf[Broadcast[Any]]
    changed = parts(1).asInstanceOf[HashedRelation]
    gone = parts(2).asInstanceOf[HashedRelation]
  }

  private def single(row: InternalRow): Iterator[InternalRow] =
    if (row == null) null else Iterator.single(row)
}
