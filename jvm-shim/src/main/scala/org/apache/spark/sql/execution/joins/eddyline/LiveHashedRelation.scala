package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.{LiveBroadcast, LiveBroadcastPoller}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.joins.HashedRelation

/**
 * A relation whose lookups see its newest version, also within a task. Generated code casts to the
 * class of the relation that it was generated for, and the class of this one is the same for all
 * versions.
 *
 * @param id the id of the live broadcast of the relation, see [[LiveBroadcastPoller]]
 * @param number the number of `first`
 * @param first the version to begin with
 * @param isUnique whether each version has at most one row of a key
 */
private[joins] class LiveHashedRelation private[joins] (
    private var id: Long,
    private var number: Long,
    private var first: Broadcast[Any],
    private var isUnique: Boolean)
  extends BroadcastRelation {

  def this() = this(0, 0, null, false) // for deserialization

  @transient private lazy val live: LiveBroadcast = LiveBroadcastPoller.get(id, number, first)
  @transient private var seen: Any = _
  @transient private var relation: HashedRelation = _

  /** A key that is one integer; reused. */
  @transient private lazy val integer: UnsafeRow = UnsafeRow.createFromByteArray(16, 1)

  /** Makes `relation` that of the newest version, and returns the changes of it. */
  private def newest: Map[UnsafeRow, (Long, UnsafeRow)] = {
    val version = live.newest
    if (version.value != seen) {
      relation = version.value.asInstanceOf[HashedRelation].asReadOnlyCopy()
      seen = version.value
    }
    version.changes
  }

  /** Returns what `ofRow` makes of the changed row of a key; else what `relation` has. */
  private def find[T](key: => UnsafeRow)(ofRow: InternalRow => T)(unchanged: => T): T = {
    val changes = newest
    if (changes.isEmpty) unchanged
    else changes.get(key).fold(unchanged)(change => ofRow(change._2))
  }

  private def keyOf(key: Long): UnsafeRow = {
    integer.setLong(0, key)
    integer
  }

  private def keyOf(key: InternalRow): UnsafeRow = key match {
    case row: UnsafeRow => row
    case other => keyOf(other.getLong(0)) // several columns are always an UnsafeRow
  }

  private def single(row: InternalRow): Iterator[InternalRow] =
    if (row == null) null else Iterator.single(row)

  /** Returns a copy for a task, which is kept up to date from now on. */
  override def asReadOnlyCopy(): LiveHashedRelation = {
    val copy = new LiveHashedRelation(id, number, first, isUnique)
    copy.live
    copy
  }

  override def keyIsUnique: Boolean = isUnique

  override def getValue(key: InternalRow): InternalRow =
    find(keyOf(key))(identity)(relation.getValue(key))

  override def getValue(key: Long): InternalRow =
    find(keyOf(key))(identity)(relation.getValue(key))

  override def get(key: InternalRow): Iterator[InternalRow] =
    find(keyOf(key))(single)(relation.get(key))

  override def get(key: Long): Iterator[InternalRow] = find(keyOf(key))(single)(relation.get(key))

  override def keys(): Iterator[InternalRow] = {
    val changes = newest
    relation.keys().filterNot(key => changes.contains(keyOf(key))) ++
      changes.iterator.collect { case (key, (_, row)) if row != null => key }
  }

  override def estimatedSize: Long = 0

  override def close(): Unit = ()

  override protected def parts: Array[AnyRef] =
    Array(Long.box(id), Long.box(number), first, Boolean.box(isUnique))

  override protected def restore(parts: Array[AnyRef]): Unit = {
    id = parts(0).asInstanceOf[Long]
    number = parts(1).asInstanceOf[Long]
    first = parts(2).asInstanceOf[Broadcast[Any]]
    isUnique = parts(3).asInstanceOf[Boolean]
  }
}
