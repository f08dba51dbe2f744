package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, LongType}

/** The size in bytes that a row of these columns has in memory, as MAX BYTES counts it. */
private[globaltable] case class RowBytes(children: Seq[Expression])
  extends Expression with CodegenFallback {
  @transient private lazy val row = UnsafeProjection.create(children)

  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = row(input).getSizeInBytes.toLong

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]): RowBytes = copy(newChildren)
}
