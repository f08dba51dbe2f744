package io.eddyline.spark.assume

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** By something that the path of a file tells. */
private[assume] sealed abstract class UnitsOfFiles(scan: FileSourceScanExec)
  extends ScanUnits(scan) {

  protected def idOf(path: String): Id

  override protected def idOf(file: PartitionedFile): Id = idOf(file.toPath.toString)

  /** Path, length and time of change of each file, as listed. */
  val files: Seq[FileVersion] = scan.selectedPartitions.filePartitionIterator.flatMap(_.files)
    .map(FileVersion(_)).toSeq.distinct.sortBy(_.path)

  override def sizes: Seq[Long] =
    files.groupBy(file => idOf(file.path)).values.map(_.map(_.length).sum).toSeq

  /** The name of a file, in a partitioned table with its folder. */
  def nameOf(file: FileVersion): String = {
    val path = new Path(file.path)
    val inFolder = scan.relation.partitionSchema.nonEmpty
    if (inFolder) s"${path.getParent.getName}/${path.getName}" else path.getName
  }
}

/** By file, in the order of the paths. */
private[assume] class FileUnits(scan: FileSourceScanExec) extends UnitsOfFiles(scan) {
  override type Id = String

  override val ids: Seq[String] = files.map(_.path).distinct

  override protected def idOf(path: String): String = path
}

/**
 * By the part number in the name of a file, which is the number of the partition that Spark wrote
 * it from. So a file that is appended from a partition of the same keys joins their unit.
 *
 * @param size how many units there are, those without a file included; if None, those with one
 */
private[assume] class NumberedUnits(scan: FileSourceScanExec, size: Option[Int])
  extends UnitsOfFiles(scan) {
  override type Id = Int

  override lazy val ids: Seq[Int] =
    size.fold(files.map(file => idOf(file.path)).distinct.sorted)(0 until _)

  /** The name of a file that lies in no unit. */
  def stranger: Option[String] = files.find { file =>
    !PartNumber(file.path).exists(number => size.forall(number < _))
  }.map(nameOf)

  override protected def idOf(path: String): Int = PartNumber(path).getOrElse(
    throw new IllegalStateException(s"no part number: $path"))
}
