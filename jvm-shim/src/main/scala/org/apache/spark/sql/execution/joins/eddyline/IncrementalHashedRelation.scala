package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.joins.HashedRelation

/**
 * A relation that consists of another one, its base, and of changes to it. The executors have the
 * base already, so only the changes are sent. Each key has at most one row.
 *
 * @param base the broadcast of the base
 * @param upserts the rows of keys that are not in the base, or have another row there
 * @param deletedKeys rows with the keys that only the base has
 */
private[joins] class IncrementalHashedRelation private[joins] (
    private var base: Broadcast[Any],
    private var upserts: HashedRelation,
    private var deletedKeys: HashedRelation)
  extends BroadcastRelation {
  @transient private lazy val baseRelation: HashedRelation =
    base.value.asInstanceOf[HashedRelation].asReadOnlyCopy()

  def this() = this(null, null, null) // for deserialization

  override def asReadOnlyCopy(): IncrementalHashedRelation =
    new IncrementalHashedRelation(base, upserts.asReadOnlyCopy(), deletedKeys.asReadOnlyCopy())

  override def keyIsUnique: Boolean = true

  override def getValue(key: InternalRow): InternalRow = {
    val row = upserts.getValue(key)
    if (row != null) row
    else if (deletedKeys.getValue(key) != null) null
    else baseRelation.getValue(key)
  }

  override def getValue(key: Long): InternalRow = {
    val row = upserts.getValue(key)
    if (row != null) row
    else if (deletedKeys.getValue(key) != null) null
    else baseRelation.getValue(key)
  }

  override def get(key: InternalRow): Iterator[InternalRow] = single(getValue(key))

  override def get(key: Long): Iterator[InternalRow] = single(getValue(key))

  override def keys(): Iterator[InternalRow] =
    baseRelation.keys().filter(deletedKeys.getValue(_) == null) ++
      upserts.keys().filter(baseRelation.getValue(_) == null)

  /** The size of the changes in bytes. */
  override def estimatedSize: Long = upserts.estimatedSize + deletedKeys.estimatedSize

  override def close(): Unit = {
    upserts.close()
    deletedKeys.close()
  }

  override protected def parts: Array[AnyRef] = Array(base, upserts, deletedKeys)

  override protected def restore(parts: Array[AnyRef]): Unit = {
    base = parts(0).asInstanceOf[Broadcast[Any]]
    upserts = parts(1).asInstanceOf[HashedRelation]
    deletedKeys = parts(2).asInstanceOf[HashedRelation]
  }

  private def single(row: InternalRow): Iterator[InternalRow] =
    if (row == null) null else Iterator.single(row)
}
