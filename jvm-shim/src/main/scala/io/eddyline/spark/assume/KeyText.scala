package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType

/** The key of a row, as a user writes it; for one task. */
private[assume] class KeyText(keys: Seq[Expression], input: Seq[Attribute])
  extends (InternalRow => String) {

  private val textsOf =
    UnsafeProjection.create(keys.map(key => Cast(key, StringType, Some("UTC"))), input)

  override def apply(row: InternalRow): String = {
    val texts = textsOf(row)
    keys.indices.map { i =>
      if (texts.isNullAt(i)) "NULL" else texts.getUTF8String(i).toString
    }.mkString("(", ", ", ")")
  }
}
