package io.eddyline.spark.assume

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/** A check of a claim, by the rows of its units, one partition a unit. */
private[assume] trait UnitCheck {
  def verdict(rows: RDD[InternalRow]): Verdict
}
