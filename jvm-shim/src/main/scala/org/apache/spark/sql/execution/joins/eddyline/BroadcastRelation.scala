package org.apache.spark.sql.execution.joins.eddyline

import java.io.{ObjectInput, ObjectOutput}

import com.esotericsoftware.kryo.Kryo
import com.esotericsoftware.kryo.io.{Input, Output}
import org.apache.spark.sql.execution.joins.UnsafeHashedRelation
import org.apache.spark.util.Utils

/**
 * A relation over broadcasts. Its serialized form has references to them and not their rows.
 *
 * It subclasses a class of Spark because the trait of hash relations is sealed.
 */
private[joins] abstract class BroadcastRelation extends UnsafeHashedRelation(0, 0, null) {

  /** The fields that are serialized. */
  protected def parts: Array[AnyRef]

  /** Sets the fields from the parts of another relation. */
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
