package io.eddyline.spark.assume.units

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.types.DataType

/**
 * Evaluates an expression over the keys of a row, and returns NULL if that fails: a check also sees
 * rows that the query filters out before it evaluates the keys. It is not generated code, because
 * Spark may move a common subexpression out of the `try` there. It is the same expression as its
 * child for Spark, since both have the same value for each row that the query keeps.
 */
private[assume] case class KeyOrNull(child: Expression)
  extends UnaryExpression with CodegenFallback {

  override lazy val canonicalized: Expression = child.canonicalized

  override def nullable: Boolean = true

  override def dataType: DataType = child.dataType

  override def eval(row: InternalRow): Any =
    try child.eval(row)
    catch { case NonFatal(_) => null }

  override protected def withNewChildInternal(newChild: Expression): KeyOrNull =
    copy(child = newChild)
}

private[assume] object KeyOrNull {

  /** Guards `computed`, an expression over `keys`, unless no row can make it fail. */
  def of(keys: Seq[Expression], computed: Expression): Expression =
    if (keys.forall(isStored)) computed else KeyOrNull(computed)

  /** Returns the partitioning of a shuffle by keys of rows that a filter above may remove. */
  def hashed(keys: Seq[Expression], numPartitions: Int): HashPartitioning =
    HashPartitioning(keys.map(key => of(Seq(key), key)), numPartitions)

  /** Checks whether a key is a column or a field of one. */
  def isStored(key: Expression): Boolean = !key.exists {
    case _: Attribute | _: GetStructField => false
    case _ => true
  }
}
