package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.optimizer.eddyline.CanonicalForm

/** Brings the compared columns of a result into a form in which equal values have equal bytes. */
private[emit] object ComparedColumns {

  /** Returns expressions over the result; maps become entries in the order of their keys. */
  def expressions(compared: Seq[Attribute]): Seq[Expression] = compared.map(CanonicalForm.ofMaps)

  /** Returns the projection to the compared columns; None if whole results can be compared. */
  def projection(compared: Seq[Attribute], result: Seq[Attribute]): Option[UnsafeProjection] = {
    val columns = expressions(compared)
    if (columns == result) None else Some(UnsafeProjection.create(columns, result))
  }
}
