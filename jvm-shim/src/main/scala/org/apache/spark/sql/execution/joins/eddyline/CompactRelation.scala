package org.apache.spark.sql.execution.joins.eddyline

import java.io._

import com.esotericsoftware.kryo.Kryo
import com.esotericsoftware.kryo.io.{Input, Output}
import org.apache.spark.{SparkEnv, SparkException}
import org.apache.spark.internal.config.{BUFFER_PAGESIZE, MEMORY_OFFHEAP_ENABLED}
import org.apache.spark.memory.{TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.joins._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.map.BytesToBytesMap

/**
 * Spark's relation for joins by a key of any type, with small memory pages on the driver and on
 * executors. Spark's own takes a page of up to 64 MiB for a relation of a few rows.
 *
 * That is why it subclasses a private class of Spark instead of using it: a broadcast join frees
 * its relation after the query, but an application keeps a replica for each key and each plan over
 * a global table, up to 32 that are derived, on the driver and on every executor. With Spark's
 * pages 32 dimensions of a few rows would take 2 GiB on each of them, with its own 32 MiB. The page
 * size of `BytesToBytesMap` is a constructor argument, but `UnsafeHashedRelation` always takes
 * that of the task's memory manager, and its serialized form repeats it on executors. This class
 * may go once Spark chooses the page of a relation by its size; `tests/spark/test_internals.py`
 * has what it relies on.
 *
 * Joins look up rows in read-only copies, which an executor makes of the relation it deserializes.
 * The serialized form is: number of fields of key and row, number of rows, and for each row the
 * length and bytes of its key and of the row.
 */
private[joins] class CompactRelation private[joins] (
    private var keyFields: Int,
    private var fields: Int,
    private var map: BytesToBytesMap)
  extends UnsafeHashedRelation(keyFields, fields, map) {
  def this() = this(0, 0, null) // for deserialization

  override def asReadOnlyCopy(): CompactRelation = new CompactRelation(keyFields, fields, map)

  override def keyIsUnique: Boolean = map.numKeys == map.numValues

  override def estimatedSize: Long = map.getTotalMemoryConsumption

  override def close(): Unit = map.free()

  override def writeExternal(out: ObjectOutput): Unit = writeTo(out)

  override def readExternal(in: ObjectInput): Unit = readFrom(in)

  override def write(kryo: Kryo, out: Output): Unit = writeTo(new DataOutputStream(out))

  override def read(kryo: Kryo, in: Input): Unit = readFrom(new DataInputStream(in))

  private def writeTo(out: DataOutput): Unit = {
    out.writeInt(keyFields)
    out.writeInt(fields)
    out.writeInt(map.numValues)
    var buffer = new Array[Byte](256)
    def write(base: AnyRef, offset: Long, length: Int): Unit = {
      if (length > buffer.length) buffer = new Array[Byte](length)
      Platform.copyMemory(base, offset, buffer, Platform.BYTE_ARRAY_OFFSET, length)
      out.writeInt(length)
      out.write(buffer, 0, length)
    }
    val rows = map.iterator()
    while (rows.hasNext) {
      val row = rows.next()
      write(row.getKeyBase, row.getKeyOffset, row.getKeyLength)
      write(row.getValueBase, row.getValueOffset, row.getValueLength)
    }
  }

  private def readFrom(in: DataInput): Unit = {
    keyFields = in.readInt()
    fields = in.readInt()
    val rows = in.readInt()
    map = CompactRelation.emptyMap(rows)
    def read(): Array[Byte] = {
      val bytes = new Array[Byte](in.readInt())
      in.readFully(bytes)
      bytes
    }
    (1 to rows).foreach { _ =>
      val (key, value) = (read(), read())
      CompactRelation.add(map, key, Platform.BYTE_ARRAY_OFFSET, key.length,
        value, Platform.BYTE_ARRAY_OFFSET, value.length)
    }
  }
}

private[joins] object CompactRelation {
  private val PAGE = 1L << 20

  /** Builds a relation of `count` rows. */
  def apply(rows: Iterator[InternalRow], key: Seq[Expression], count: Long, isNullAware: Boolean)
      : HashedRelation = {
    val map = RelationTooLarge.unlessFits(emptyMap(count))
    fill(rows, key, isNullAware)(
      (rowKey, row) =>
        add(map, rowKey.getBaseObject, rowKey.getBaseOffset, rowKey.getSizeInBytes,
          row.getBaseObject, row.getBaseOffset, row.getSizeInBytes),
      map.free())(new CompactRelation(key.size, _, map))
  }

  /**
   * Adds each row whose key is not null, and returns the relation. If a key is null and the join is
   * null-aware (NOT IN), no row has a match, so the rows are not needed.
   *
   * @param add adds a row by its key
   * @param free frees the memory of the rows
   * @param made makes the relation, from the number of fields of a row
   */
  def fill(rows: Iterator[InternalRow], key: Seq[Expression], isNullAware: Boolean)(
      add: (UnsafeRow, UnsafeRow) => Unit,
      free: => Unit)(
      made: Int => HashedRelation): HashedRelation = {
    val keyOf = UnsafeProjection.create(key)
    var fields = 0
    var hasNullKey = false
    try {
      rows.takeWhile(_ => !hasNullKey).foreach { row =>
        val value = row.asInstanceOf[UnsafeRow]
        val rowKey = keyOf(value)
        fields = value.numFields
        if (rowKey.anyNull) hasNullKey = isNullAware
        else RelationTooLarge.unlessFits(add(rowKey, value))
      }
    } catch {
      case e: Throwable =>
        free
        throw e
    }
    if (hasNullKey) {
      free
      HashedRelationWithAllNullKeys
    } else {
      made(fields)
    }
  }

  def emptyMap(rows: Long): BytesToBytesMap =
    new BytesToBytesMap(memory(), math.min(rows * 3 / 2 + 1, 1 << 28).toInt, PAGE)

  /**
   * Returns a memory manager that belongs to no task, because the relation outlives them. With more
   * memory than the heap has, Spark would try for ever if a page does not fit (SPARK-54354).
   */
  def memory(): TaskMemoryManager = {
    val conf = SparkEnv.get.conf.clone
      .set(MEMORY_OFFHEAP_ENABLED.key, "false")
      .set(BUFFER_PAGESIZE.key, s"${PAGE}b")
    val heap = Runtime.getRuntime.maxMemory
    new TaskMemoryManager(new UnifiedMemoryManager(conf, heap, heap / 2, 1), 0)
  }

  def add(
      map: BytesToBytesMap,
      key: AnyRef, keyOffset: Long, keyLength: Int,
      value: AnyRef, valueOffset: Long, valueLength: Int): Unit = {
    val added = map.lookup(key, keyOffset, keyLength)
      .append(key, keyOffset, keyLength, value, valueOffset, valueLength)
    if (!added) throw new SparkException("There is not enough memory to build a hash relation")
  }
}

/** The rows of a join's relation do not fit into memory, or into the largest map that Spark has. */
class RelationTooLarge(cause: Throwable) extends Exception(cause)

private[joins] object RelationTooLarge {

  /** Runs code that adds rows to a map of Spark; turns the errors of a full map into this one. */
  def unlessFits[T](body: => T): T =
    try body
    catch {
      case e @ (_: OutOfMemoryError | _: SparkException | _: IllegalArgumentException |
          _: IllegalStateException | _: UnsupportedOperationException) =>
        throw new RelationTooLarge(e)
    }
}
