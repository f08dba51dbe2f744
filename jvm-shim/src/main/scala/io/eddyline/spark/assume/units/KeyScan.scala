package io.eddyline.spark.assume.units

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{CaseInsensitiveMap, FailFastMode, ParseMode}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.text.TextFileFormat
import org.apache.spark.sql.types.StructType

/**
 * Creates scans that read the keys in all rows of the files that the query's own scan has listed.
 * They keep the columns that the reader adds: partition columns and metadata.
 */
private[assume] object KeyScan {

  /**
   * Returns a scan of the keys. It leaves out the other columns if the reader finds the same keys
   * without them. A JSON reader does not: in a malformed record it depends on the columns that are
   * read whether a key is NULL. The scan reads all buckets, because a verdict is about all files.
   */
  def apply(scan: FileSourceScanExec, keys: Seq[Expression]): FileSourceScanExec = {
    val (read, added) = scan.output.splitAt(scan.requiredSchema.size)
    val needed = AttributeSet(if (keysIndependentOfOtherColumns(scan.relation)) keys else read)
    val (columns, fields) =
      read.zip(scan.requiredSchema).filter { case (column, _) => needed.contains(column) }.unzip
    scan.copy(
      output = columns ++ added,
      requiredSchema = StructType(fields),
      relation = scan.relation.copy(location = new ListedFileIndex(scan))(
        scan.relation.sparkSession),
      partitionFilters =
        scan.partitionFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]])),
      optionalBucketSet = None,
      dataFilters = scan.dataFilters.filter { filter =>
        failsFast(scan.relation) || filter.references.intersect(AttributeSet(read)).isEmpty
      })
  }

  /** Whether the reader finds the same keys in a row, whatever other columns it reads. */
  def keysIndependentOfOtherColumns(relation: HadoopFsRelation): Boolean =
    relation.fileFormat match {
      case _: ParquetFileFormat | _: OrcFileFormat | _: TextFileFormat => true
      case _: CSVFileFormat => !failsFast(relation)
      case _ => false
    }

  /** Whether a scan without the query's filters may fail at a row that they exclude. */
  def failsFast(relation: HadoopFsRelation): Boolean =
    CaseInsensitiveMap(relation.options).get("mode").map(ParseMode.fromString)
      .contains(FailFastMode)
}

/**
 * A file index with the files that a scan has listed, for a second scan of the same relation. The
 * index of a catalog table would list the files again and might find other ones.
 */
private[assume] class ListedFileIndex(scan: FileSourceScanExec) extends FileIndex {

  private lazy val listed: Seq[PartitionDirectory] = scan.selectedPartitions.filePartitionIterator
    .map(partition => PartitionDirectory(partition.values, partition.files.toSeq)).toSeq

  override def rootPaths: Seq[Path] = scan.relation.location.rootPaths

  /** Returns all files, because the filters of the scan have already been applied. */
  override def listFiles(
      partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    listed

  override def inputFiles: Array[String] = listed.flatMap(_.files).map(_.getPath.toString).toArray

  override def refresh(): Unit = {}

  override def sizeInBytes: Long = listed.flatMap(_.files).map(_.getLen).sum

  override def partitionSchema: StructType = scan.relation.partitionSchema
}
