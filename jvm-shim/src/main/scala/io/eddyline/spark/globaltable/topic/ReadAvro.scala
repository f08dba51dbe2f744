package io.eddyline.spark.globaltable.topic

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.eddyline.AvroRows
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * The columns of an Avro datum without a header, or NULL if the bytes are malformed.
 *
 * @param child the bytes
 * @param schema the Avro schema of the writer, as JSON
 */
private[globaltable] case class ReadAvro(child: Expression, schema: String, columns: StructType)
  extends UnaryExpression with CodegenFallback {
  @transient private lazy val rows =
    AvroRows.of(schema, columns).fold(why => throw new IllegalArgumentException(why), identity)

  override def dataType: DataType = columns

  override def nullable: Boolean = true

  override protected def nullSafeEval(bytes: Any): InternalRow = {
    val reader = rows
    try reader.row(bytes.asInstanceOf[Array[Byte]])
    catch { case NonFatal(_) => null }
  }

  override protected def withNewChildInternal(newChild: Expression): ReadAvro =
    copy(child = newChild)
}
