package io.eddyline.spark.assume.units

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.DataType

/**
 * What is computed of a row's keys, or NULL where they cannot be computed: a check sees rows too
 * that the query leaves out before it computes anything of them. It is not generated code, from
 * which Spark may take an expression that comes twice out of the `try`.
 */
private[assume] case class KeyOrNull(child: Expression)
  extends UnaryExpression with CodegenFallback {

  override def nullable: Boolean = true

  override def dataType: DataType = child.dataType

  override def eval(row: InternalRow): Any =
    try child.eval(row) catch { case NonFatal(_) => null }

  override protected def withNewChildInternal(newChild: Expression): KeyOrNull =
    copy(child = newChild)
}

private[assume] object KeyOrNull {

  /** Of some keys; as it is where no row can make it fail. */
  def of(keys: Seq[Expression], computed: Expression): Expression =
    if (keys.forall(isStored)) computed else KeyOrNull(computed)

  /** Whether a key is a column, or a field of one. */
  def isStored(key: Expression): Boolean = !key.exists {
    case _: Attribute | _: GetStructField => false
    case _ => true
  }
}
