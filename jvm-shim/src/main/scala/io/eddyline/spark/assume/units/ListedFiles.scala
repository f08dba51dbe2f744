package io.eddyline.spark.assume.units

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

/**
 * The files that a scan has listed, for another scan of the same: an index of a catalog's table
 * would list anew, and might find others.
 */
private[assume] class ListedFiles(scan: FileSourceScanExec) extends FileIndex {

  private lazy val listed: Seq[PartitionDirectory] = scan.selectedPartitions.filePartitionIterator
    .map(partition => PartitionDirectory(partition.values, partition.files.toSeq)).toSeq

  override def rootPaths: Seq[Path] = scan.relation.location.rootPaths

  /** All: the filters of the scan have been applied. */
  override def listFiles(
      partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    listed

  override def inputFiles: Array[String] =
    listed.flatMap(_.files).map(_.getPath.toString).toArray

  override def refresh(): Unit = {}

  override def sizeInBytes: Long = listed.flatMap(_.files).map(_.getLen).sum

  override def partitionSchema: StructType = scan.relation.partitionSchema
}
