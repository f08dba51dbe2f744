package org.apache.spark.sql.execution.joins.eddyline

import java.io.{ObjectInput, ObjectOutput}

import com.esotericsoftware.kryo.{Kryo, KryoSerializable}
import com.esotericsoftware.kryo.io.{Input, Output}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.joins._

/**
 * Spark's relation for joins by integers of at most 8 bytes together, which Spark makes one LONG,
 * with small memory pages on executors too. There Spark's own takes a page of up to 64 MiB for a
 * relation of a few rows, since Spark 4.2 (SPARK-54116), because its map deserializes itself with a
 * memory manager of the default page size. It subclasses a class of Spark for the same reason, and
 * until the same time, as [[CompactRelation]].
 */
private[joins] class CompactLongRelation private[joins] (
    private var fields: Int, private var rows: LongToUnsafeRowMap)
  extends LongHashedRelation(fields, rows) with KryoSerializable {
  def this() = this(0, null) // for deserialization

  override def asReadOnlyCopy(): CompactLongRelation = new CompactLongRelation(fields, rows)

  override def keyIsUnique: Boolean = rows.keyIsUnique

  override def estimatedSize: Long = rows.getTotalMemoryConsumption

  override def close(): Unit = rows.free()

  override def writeExternal(out: ObjectOutput): Unit = {
    out.writeInt(fields)
    rows.writeExternal(out)
  }

  override def readExternal(in: ObjectInput): Unit = {
    fields = in.readInt()
    rows = CompactLongRelation.emptyMap(0)
    rows.readExternal(in)
  }

  override def write(kryo: Kryo, out: Output): Unit = {
    out.writeInt(fields)
    rows.write(kryo, out)
  }

  override def read(kryo: Kryo, in: Input): Unit = {
    fields = in.readInt()
    rows = CompactLongRelation.emptyMap(0)
    rows.read(kryo, in)
  }
}

private[joins] object CompactLongRelation {

  /** Builds a relation of `count` rows, at least one; `key` is one expression, of the type LONG. */
  def apply(rows: Iterator[InternalRow], key: Seq[Expression], count: Long, isNullAware: Boolean)
      : HashedRelation = {
    val map = RelationTooLarge.unlessFits(emptyMap(math.min(count, Int.MaxValue).toInt))
    CompactRelation.fill(rows, key, isNullAware)(
      (rowKey, row) => map.append(rowKey.getLong(0), row),
      map.free()) { fields =>
      map.optimize()
      new CompactLongRelation(fields, map)
    }
  }

  private def emptyMap(capacity: Int): LongToUnsafeRowMap =
    new LongToUnsafeRowMap(CompactRelation.memory(), capacity)
}
