package io.eddyline.spark.assume.units

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

/**
 * A file index with the files that a scan has listed, for a second scan of the same relation. The
 * index of a catalog table would list again, and might find other files.
 */
private[assume] class ListedFiles(scan: FileSourceScanExec) extends FileIndex {

  private lazy val listed: Seq[PartitionDirectory] = scan.selectedPartitions.filePartitionIterator
    .map(partition => PartitionDirectory(partition.values, partition.files.toSeq)).toSeq

  override def rootPaths: Seq[Path] = scan.relation.location.rootPaths

  /** Returns all files, because the filters of the scan have already been applied. */
  override def listFiles(
      partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    listed

  override def inputFiles: Array[String] =
    listed.flatMap(_.files).map(_.getPath.toString).toArray

  override def refresh(): Unit = {}

  override def sizeInBytes: Long = listed.flatMap(_.files).map(_.getLen).sum

  override def partitionSchema: StructType = scan.relation.partitionSchema
}
