package io.eddyline.spark.assume.units

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.types.{DataType, StringType}

/**
 * TRY for an expression over the keys of a row: NULL if its evaluation fails. A check reads all
 * rows, also those that the query's filters keep from casts that fail.
 *
 * It is not generated code, in which Spark may move a common subexpression out of the `try`. Spark
 * takes it for the same expression as its child, since both have the same value for each row that
 * the query keeps.
 */
private[assume] case class TryKey(child: Expression) extends UnaryExpression with CodegenFallback {

  override lazy val canonicalized: Expression = child.canonicalized

  override def nullable: Boolean = true

  override def dataType: DataType = child.dataType

  override def eval(row: InternalRow): Any =
    try child.eval(row)
    catch { case NonFatal(_) => null }

  override protected def withNewChildInternal(newChild: Expression): TryKey = copy(child = newChild)
}

private[assume] object TryKey {

  /** Returns `computed`, an expression over `keys`, that is NULL where its evaluation fails. */
  def of(keys: Seq[Expression], computed: Expression): Expression =
    if (keys.forall(isColumnOrField)) computed else TryKey(computed)

  /** Returns the partitioning of a shuffle below the filters that may keep keys from failing. */
  def hashed(keys: Seq[Expression], numPartitions: Int): HashPartitioning =
    HashPartitioning(keys.map(key => of(Seq(key), key)), numPartitions)

  /** Returns the keys as one text, such as `(1, a)`; NULL is the text of one that fails, too. */
  def text(keys: Seq[Expression]): Expression = {
    val texts = keys.map { key =>
      Coalesce(Seq(of(Seq(key), Cast(key, StringType, Some("UTC"))), Literal("NULL")))
    }
    Concat(Literal("(") +: texts.flatMap(Seq(Literal(", "), _)).tail :+ Literal(")"))
  }

  /** Whether a key is a column or a field of one, so that its evaluation cannot fail. */
  def isColumnOrField(key: Expression): Boolean = !key.exists {
    case _: Attribute | _: GetStructField => false
    case _ => true
  }
}
