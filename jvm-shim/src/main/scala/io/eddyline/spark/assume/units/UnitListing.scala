package io.eddyline.spark.assume.units

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.FileSourceScanExec

import io.eddyline.spark.assume.claim.Layout

/** Lists the files of a scan as units. */
private[assume] object UnitListing {

  /**
   * Returns the units of a scan.
   *
   * @param columns the partition columns among the keys of a claim; empty if units are files
   * @param layout how the units are numbered if they are files
   */
  def of(scan: FileSourceScanExec, columns: Seq[Attribute], layout: Layout): ScanUnits =
    if (columns.nonEmpty) new PartitionValueUnits(scan, columns)
    else if (layout.isNumbered) new NumberedUnits(scan, layout.size)
    else new UnitPerFile(scan)
}
