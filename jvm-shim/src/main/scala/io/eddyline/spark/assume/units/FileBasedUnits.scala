package io.eddyline.spark.assume.units

import scala.util.matching.Regex

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** Units whose ids are derived from the paths of their files. */
private[assume] sealed abstract class FileBasedUnits(scan: FileSourceScanExec)
  extends ScanUnits(scan) {

  protected def idOf(path: String): Any

  override protected def idOf(file: PartitionedFile): Any = idOf(file.toPath.toString)

  override def sizes: Seq[Long] =
    files.groupBy(file => idOf(file.path)).values.map(_.map(_.length).sum).toSeq
}

/** Units of one file each, in the order of the paths. */
private[assume] class UnitPerFile(scan: FileSourceScanExec) extends FileBasedUnits(scan) {

  override val ids: Seq[String] = files.map(_.path).distinct

  override protected def idOf(path: String): String = path

  override def misfit(planned: ScanUnits): Option[String] = None

  /**
   * A claim that is true of single files is true of any group of them, so files that were added
   * after planning may join any unit.
   */
  override protected def places(planned: ScanUnits): Map[Any, Int] =
    ids.zipWithIndex.map { case (id, i) => id -> i % math.max(planned.ids.size, 1) }.toMap
}

/**
 * Units given by the part number in the name of a file, which is the number of the partition that
 * Spark wrote it from. A file that is appended from a partition of the same keys joins their unit.
 *
 * @param size the number of units, including those without a file; if None, every part number that
 *             occurs is a unit
 */
private[assume] class NumberedUnits(scan: FileSourceScanExec, size: Option[Int])
  extends FileBasedUnits(scan) {

  override lazy val ids: Seq[Int] =
    size.fold(files.map(file => idOf(file.path)).distinct.sorted)(0 until _)

  /** The name of a file without a part number or with one outside `size`; None if there is none. */
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

/** Reads the part number from the name that Spark gives a file: the number of the writing task. */
private[assume] object PartNumber {
  private val NAME: Regex = """part-(\d{1,9})\D.*""".r

  /** The part number of a file; None if its name has none. */
  def apply(path: String): Option[Int] = new Path(path).getName match {
    case NAME(number) => Some(number.toInt)
    case _ => None
  }
}
