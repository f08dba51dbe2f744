package io.eddyline.spark.assume.units

import scala.collection.mutable
import scala.util.matching.Regex

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.InternalRowComparableWrapper
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD, PartitionedFile}
import org.apache.spark.sql.types.StringType

import io.eddyline.spark.assume.claim.Layout

/**
 * The units of a file scan, taken from its listing after static partition pruning. Dynamic pruning
 * may leave a unit without files, but never renumbers the units.
 */
private[assume] abstract class ScanUnits(val scan: FileSourceScanExec) {

  /** One distinct id for each unit, in the order of the units. */
  def ids: Seq[Any]

  /** The distinct files as listed, in the order of their paths. */
  lazy val files: Seq[FileVersion] = scan.selectedPartitions.filePartitionIterator
    .flatMap(_.files).map(FileVersion(_)).toSeq.distinct.sortBy(_.path)

  /** The name of a file, preceded by its folder in a partitioned table. */
  def nameOf(file: FileVersion): String = {
    val path = new Path(file.path)
    val inFolder = scan.relation.partitionSchema.nonEmpty
    if (inFolder) s"${path.getParent.getName}/${path.getName}" else path.getName
  }

  /** The listed size in bytes of each unit that has a file. */
  def sizes: Seq[Long]

  protected def idOf(file: PartitionedFile): Any

  /**
   * The name of a file or value in this listing that lies in no unit of `planned`, an earlier
   * listing; None if every file has a unit there.
   */
  def misfit(planned: ScanUnits): Option[String]

  /** Maps the id of each of these units to the number of the planned unit that it is read as. */
  protected def places(planned: ScanUnits): Map[Any, Int] = planned.ids.zipWithIndex.toMap

  /**
   * Returns one partition for each planned unit, with the unsplit files that the scan reads. The
   * scan must have started, and there must be no misfit.
   */
  def regroup(planned: ScanUnits): Array[FilePartition] = {
    val splits = scan.inputRDD match {
      case files: FileScanRDD => files.filePartitions.flatMap(_.files)
      case other => throw new IllegalStateException(s"no file scan: $other")
    }
    val placeOf = places(planned)
    val byPlace = splits.groupBy(file => placeOf(idOf(file)))
    val size = (planned.ids.size +: byPlace.keys.map(_ + 1).toSeq).max
    Array.tabulate(size) { place =>
      FilePartition(place, ScanUnits.joined(byPlace.getOrElse(place, Nil)).toArray)
    }
  }
}

private[assume] object ScanUnits {

  /** Joins adjacent splits of a file. A path that is read twice remains listed twice. */
  def joined(splits: Seq[PartitionedFile]): Seq[PartitionedFile] = {
    val whole = mutable.ArrayBuffer.empty[PartitionedFile]
    splits.sortBy(split => (split.filePath.toString, split.start)).foreach { split =>
      val back = whole.reverseIterator.takeWhile(_.filePath == split.filePath)
        .indexWhere(file => file.start + file.length == split.start)
      if (back < 0) whole += split
      else {
        val before = whole.size - 1 - back
        whole(before) = whole(before).copy(length = whole(before).length + split.length)
      }
    }
    whole.toSeq
  }
}

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

/**
 * Units that are the typed values of some of the table's partition columns: `d=1` and `d=01` are
 * one unit of an integer column, and the default partition is the unit of NULL.
 */
private[assume] class PartitionValueUnits(scan: FileSourceScanExec, val columns: Seq[Attribute])
  extends ScanUnits(scan) {

  private val types = columns.map(_.dataType)
  private val comparable = new InternalRowComparableWrapper(_: InternalRow, types)
  private val ordinals = columns.map { column =>
    scan.relation.partitionSchema.fieldNames.indexWhere(scan.conf.resolver(_, column.name))
  }

  val values: Seq[InternalRow] = {
    val all = scan.selectedPartitions.filePartitionIterator.map(p => comparable(valueOf(p.values)))
    all.toSeq.distinct.map(_.row).sorted(RowOrdering.createNaturalAscendingOrdering(types))
  }

  override val ids: Seq[InternalRowComparableWrapper] = values.map(comparable)

  override def sizes: Seq[Long] = {
    val bytes = mutable.Map.empty[InternalRowComparableWrapper, Long].withDefaultValue(0L)
    scan.selectedPartitions.filePartitionIterator.foreach { partition =>
      bytes(comparable(valueOf(partition.values))) += partition.files.map(_.getLen).sum
    }
    ids.map(bytes)
  }

  override protected def idOf(file: PartitionedFile): InternalRowComparableWrapper =
    comparable(valueOf(file.partitionValues))

  override def misfit(planned: ScanUnits): Option[String] = {
    val known = planned.ids.toSet
    values.zip(ids).collectFirst {
      case (row, id) if !known(id) =>
        columns.indices.map(textOf(row, _)).mkString("/")
    }
  }

  private def textOf(row: InternalRow, i: Int): String = {
    val value = Literal(row.get(i, types(i)), types(i))
    val text = Cast(value, StringType, Some(scan.conf.sessionLocalTimeZone)).eval()
    s"${columns(i).name}=${Option(text).getOrElse("NULL")}"
  }

  private def valueOf(partition: InternalRow): InternalRow =
    InternalRow.fromSeq(ordinals.zip(types).map { case (i, t) => partition.get(i, t) })
}

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
