package io.eddyline.spark.emit.keyed

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, LongType}

/** Computes a hash of values of all types, also of VARIANT, which Spark cannot hash. */
case class BytesHash(children: Seq[Expression]) extends Expression with CodegenFallback {
  @transient private lazy val row = UnsafeProjection.create(children)

  override def nullable: Boolean = false

  override def dataType: DataType = LongType

  override def eval(input: InternalRow): Any = {
    val bytes = row(input)
    XXH64.hashUnsafeBytes(bytes.getBaseObject, bytes.getBaseOffset, bytes.getSizeInBytes, 0)
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): BytesHash =
    copy(newChildren)
}
