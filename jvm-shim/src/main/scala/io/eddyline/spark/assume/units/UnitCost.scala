package io.eddyline.spark.assume.units

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.FilePartition

/**
 * Decides from the listing of files whether reading by units would reduce parallelism too much:
 * there are fewer units than cores that the scan would keep busy, or one unit is much larger than
 * the others.
 */
private[assume] object UnitCost {

  /** A unit that is larger than a split may have at most this many times the median size. */
  private val MAX_SKEW = 5

  /** Returns why the units should not be used, for EXPLAIN; None if they should. */
  def reason(units: ScanUnits, session: SparkSession): Option[String] = {
    val sizes = units.sizes.sorted
    val split = FilePartition.maxSplitBytes(session, units.scan.selectedPartitions)
    val tasks = (sizes.sum + split - 1) / split
    val cores = math.min(session.sparkContext.defaultParallelism.toLong, tasks)
    val median = sizes.lift(sizes.size / 2).getOrElse(0L)
    if (sizes.size < cores) {
      Some(s"too few units: ${sizes.size} for $cores tasks")
    } else if (sizes.lastOption.exists(largest => largest > MAX_SKEW * median && largest > split)) {
      Some(s"the largest unit has ${sizes.last} bytes, half of them have at most $median")
    } else {
      None
    }
  }
}
