package io.eddyline.spark.base

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.BinaryType

/** Finds keys that several rows have. */
private[spark] object RepeatedKeys {
  private val KEY = "__eddyline_key"
  private val COUNT = "__eddyline_count"

  /** Returns each key that several rows have as text, with bytes in hex, and the number of rows. */
  def of(rows: DataFrame, key: Seq[String]): DataFrame = {
    val columns = key.map(name => col(quoteIfNeeded(name)))
    val types = rows.select(columns: _*).schema.map(_.dataType)
    val texts: Seq[Column] = columns.zip(types).map {
      case (column, BinaryType) => hex(column)
      case (column, _) => column.cast("string")
    }
    val text = concat(lit("("), array_join(array(texts: _*), ", ", "NULL"), lit(")"))
    val parts = columns.indices.map(i => s"part$i")
    val named = columns.zip(parts).map { case (column, part) => column.as(part) }
    // not by the grouping columns, which spark.sql.retainGroupColumns may leave out
    rows.select(text.as(KEY) +: named: _*)
      .groupBy(parts.map(col): _*).agg(first(KEY).as(KEY), count(lit(1)).as(COUNT))
      .where(col(COUNT) > 1)
      .select(KEY, COUNT)
  }
}
