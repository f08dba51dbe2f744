package io.eddyline.spark.base

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection, XXH64}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * A 64-bit hash of the bytes of a row of these columns. Rows that a query can tell apart have
 * different bytes, whatever their types. Spark's own hash functions give `-0.0` and `0.0`, or
 * strings that are equal by a collation, one hash, and refuse some types.
 */
private[spark] case class ContentHash(children: Seq[Expression], seed: Long)
  extends Expression with CodegenFallback {
  @transient private lazy val row = UnsafeProjection.create(children)

  override def dataType: DataType = LongType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = {
    val bytes = row(input)
    XXH64.hashUnsafeBytes(bytes.getBaseObject, bytes.getBaseOffset, bytes.getSizeInBytes, seed)
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]): ContentHash = copy(newChildren)
}
