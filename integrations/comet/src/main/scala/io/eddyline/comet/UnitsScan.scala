package io.eddyline.comet

import org.apache.spark.sql.comet.CometScanExec
import org.apache.spark.sql.execution.datasources.FilePartition

import io.eddyline.spark.assume.units.UnitScanExec

/** Comet's scan of claimed files, with the units as its partitions. */
private[comet] class UnitsScan(units: UnitScanExec, partitions: Array[FilePartition])
  extends CometScanExec(
    units.scan.relation,
    units.scan.output,
    units.scan.requiredSchema,
    units.scan.partitionFilters,
    units.scan.optionalBucketSet,
    units.scan.optionalNumCoalescedBuckets,
    units.scan.dataFilters,
    units.scan.tableIdentifier,
    units.scan.disableBucketedScan,
    units.scan) {

  override def getFilePartitions(): Seq[FilePartition] = partitions.toSeq
}
