package io.eddyline.spark.globaltable.topic

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.DataType

/** The value of a parser in the mode FAILFAST, or NULL where it fails. */
private[globaltable] case class NullIfMalformed(child: Expression)
  extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = child.dataType

  override def nullable: Boolean = true

  override def foldable: Boolean = false

  override def eval(input: InternalRow): Any =
    try child.eval(input)
    catch { case NonFatal(_) => null }

  override protected def withNewChildInternal(newChild: Expression): NullIfMalformed =
    copy(newChild)
}
