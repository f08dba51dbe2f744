package org.apache.spark.sql.execution.joins.eddyline

import java.io.{ObjectInput, ObjectOutput}

import com.esotericsoftware.kryo.Kryo
import com.esotericsoftware.kryo.io.{Input, Output}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.{BroadcastFollower, FollowedValue}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.joins.{HashedRelation, UnsafeHashedRelation}
import org.apache.spark.util.Utils

/**
 * A relation whose lookups go to the newest version of another one, also within a task. Generated
 * code casts to the class of the relation that it was generated for, and this one has the same for
 * all versions.
 *
 * It subclasses a class of Spark, as [[CompactRelation]] does, because the trait of hash relations
 * is sealed.
 *
 * @param id of the relation that is followed, see [[BroadcastFollower]]
 * @param number of the version `first`
 * @param first the version from which on it is followed
 * @param isUnique whether each version has at most one row of a key
 */
private[joins] class FollowingRelation private[joins] (
    private var id: Long,
    private var number: Long,
    private var first: Broadcast[Any],
    private var isUnique: Boolean)
  extends UnsafeHashedRelation(0, 0, null) {

  def this() = this(0, 0, null, false) // for deserialization

  @transient private lazy val followed: FollowedValue =
    BroadcastFollower.follow(id, number, first)
  @transient private var seen: FollowedValue.Version = _
  @transient private var relation: HashedRelation = _

  private def newest: HashedRelation = {
    val version = followed.newest
    if (version ne seen) {
      relation = version.value.asInstanceOf[HashedRelation].asReadOnlyCopy()
      seen = version
    }
    relation
  }

  override def asReadOnlyCopy(): FollowingRelation =
    new FollowingRelation(id, number, first, isUnique)

  override def keyIsUnique: Boolean = isUnique

  override def getValue(key: InternalRow): InternalRow = newest.getValue(key)

  override def getValue(key: Long): InternalRow = newest.getValue(key)

  override def get(key: InternalRow): Iterator[InternalRow] = newest.get(key)

  override def get(key: Long): Iterator[InternalRow] = newest.get(key)

  override def keys(): Iterator[InternalRow] = newest.keys()

  override def estimatedSize: Long = 0

  override def close(): Unit = ()

  override def writeExternal(out: ObjectOutput): Unit = out.writeObject(parts)

  override def readExternal(in: ObjectInput): Unit = set(in.readObject())

  override def write(kryo: Kryo, out: Output): Unit = {
    val bytes = Utils.serialize(parts)
    out.writeInt(bytes.length)
    out.writeBytes(bytes)
  }

  override def read(kryo: Kryo, in: Input): Unit = set(Utils.deserialize[AnyRef](
      in.readBytes(in.readInt()), Utils.getContextOrSparkClassLoader))

  private def parts: Array[AnyRef] =
    Array(Long.box(id), Long.box(number), first, Boolean.box(isUnique))

  private def set(parts: Any): Unit = {
    val Array(id, number, first, isUnique) = parts.asInstanceOf[Array[AnyRef]]
    this.id = id.asInstanceOf[Long]
    this.number = number.asInstanceOf[Long]
    this.first = first.asInstanceOf[Broadcast[Any]]
    this.isUnique = isUnique.asInstanceOf[Boolean]
  }
}
