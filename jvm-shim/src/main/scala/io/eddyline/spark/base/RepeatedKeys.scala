package io.eddyline.spark.base

import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.functions

/** Finds keys that are not unique. */
private[spark] object RepeatedKeys {
  private val COUNT = "__eddyline_count"

  /** Returns each key that several rows have, with their number in the last column. */
  def of(rows: DataFrame, key: Seq[String]): DataFrame =
    rows.groupBy(key.map(name => functions.col(quoteIfNeeded(name))): _*)
      .agg(functions.count(functions.lit(1)).as(COUNT))
      .where(functions.col(COUNT) > 1)
}
