package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.{LiveBroadcast, LiveBroadcastPoller}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.joins.HashedRelation

/**
 * A relation whose lookups go to the newest version of another one, also within a task. Generated
 * code casts to the class of the relation that it was generated for, and this one has the same for
 * all versions.
 *
 * @param id of the relation that is followed, see [[LiveBroadcastPoller]]
 * @param number of the version `first`
 * @param first the version from which on it is followed
 * @param isUnique whether each version has at most one row of a key
 */
private[joins] class LiveHashedRelation private[joins] (
    private var id: Long,
    private var number: Long,
    private var first: Broadcast[Any],
    private var isUnique: Boolean)
  extends BroadcastRelation {

  def this() = this(0, 0, null, false) // for deserialization

  @transient private lazy val followed: LiveBroadcast =
    LiveBroadcastPoller.follow(id, number, first)
  @transient private var seen: LiveBroadcast.Version = _
  @transient private var relation: HashedRelation = _

  private def newest: HashedRelation = {
    val version = followed.newest
    if (version ne seen) {
      relation = version.value.asInstanceOf[HashedRelation].asReadOnlyCopy()
      seen = version
    }
    relation
  }

  /** Returns a copy for a task, which follows at once, and not only from its first lookup on. */
  override def asReadOnlyCopy(): LiveHashedRelation = {
    val copy = new LiveHashedRelation(id, number, first, isUnique)
    copy.followed
    copy
  }

  override def keyIsUnique: Boolean = isUnique

  override def getValue(key: InternalRow): InternalRow = newest.getValue(key)

  override def getValue(key: Long): InternalRow = newest.getValue(key)

  override def get(key: InternalRow): Iterator[InternalRow] = newest.get(key)

  override def get(key: Long): Iterator[InternalRow] = newest.get(key)

  override def keys(): Iterator[InternalRow] = newest.keys()

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
