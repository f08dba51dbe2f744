package org.apache.spark.sql.execution.joins.eddyline

import java.io.{ObjectInput, ObjectOutput}

import com.esotericsoftware.kryo.Kryo
import com.esotericsoftware.kryo.io.{Input, Output}
import org.apache.spark.sql.execution.joins.UnsafeHashedRelation
import org.apache.spark.util.Utils

/**
 * A relation over broadcasts, whose serialized form has the references to them and not their rows.
 *
 * It subclasses a class of Spark, as [[CompactRelation]] does, because the trait of hash relations
 * is sealed.
 */
private[joins] abstract class BroadcastRelation extends UnsafeHashedRelation(0, 0, null) {

  /** What the relation is made of. */
  protected def parts: Array[AnyRef]

  /** Makes the relation of the parts of another one. */
  protected def restore(parts: Array[AnyRef]): Unit

  override def writeExternal(out: ObjectOutput): Unit = out.writeObject(parts)

  override def readExternal(in: ObjectInput): Unit =
    restore(in.readObject().asInstanceOf[Array[AnyRef]])

  override def write(kryo: Kryo, out: Output): Unit = {
    val bytes = Utils.serialize(parts)
    out.writeInt(bytes.length)
    out.writeBytes(bytes)
  }

  override def read(kryo: Kryo, in: Input): Unit = restore(Utils.deserialize[Array[AnyRef]](
      in.readBytes(in.readInt()), Utils.getContextOrSparkClassLoader))
}
