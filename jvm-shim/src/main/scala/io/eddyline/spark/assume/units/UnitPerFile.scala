package io.eddyline.spark.assume.units

import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** By something that the path of a file tells. */
private[assume] sealed abstract class FileBasedUnits(scan: FileSourceScanExec)
  extends ScanUnits(scan) {

  protected def idOf(path: String): Any

  override protected def idOf(file: PartitionedFile): Any = idOf(file.toPath.toString)

  override def sizes: Seq[Long] =
    files.groupBy(file => idOf(file.path)).values.map(_.map(_.length).sum).toSeq
}

/** By file, in the order of the paths. */
private[assume] class UnitPerFile(scan: FileSourceScanExec) extends FileBasedUnits(scan) {

  override val ids: Seq[String] = files.map(_.path).distinct

  override protected def idOf(path: String): String = path

  override def misfit(planned: ScanUnits): Option[String] = None

  /** A claim that is true of files is so of several as one: those that came later join any unit. */
  override protected def places(planned: ScanUnits): Map[Any, Int] =
    ids.zipWithIndex.map { case (id, i) => id -> i % math.max(planned.ids.size, 1) }.toMap
}

/**
 * By the part number in the name of a file, which is the number of the partition that Spark wrote
 * it from. So a file that is appended from a partition of the same keys joins their unit.
 *
 * @param size how many units there are, those without a file included; if None, those with one
 */
private[assume] class NumberedUnits(scan: FileSourceScanExec, size: Option[Int])
  extends FileBasedUnits(scan) {

  override lazy val ids: Seq[Int] =
    size.fold(files.map(file => idOf(file.path)).distinct.sorted)(0 until _)

  /** The name of a file that lies in no unit. */
  def fileWithoutUnit: Option[String] = files.find { file =>
    !PartNumber(file.path).exists(number => size.forall(number < _))
  }.map(nameOf)

  override def misfit(planned: ScanUnits): Option[String] = {
    val known = planned.ids.toSet
    fileWithoutUnit.orElse(files.find(file => !known(idOf(file.path))).map(nameOf))
  }

  override protected def idOf(path: String): Int = PartNumber(path).getOrElse(
    throw new IllegalStateException(s"no part number: $path"))
}
