package io.eddyline.spark.assume.units

import scala.collection.mutable

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.InternalRowComparableWrapper
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD, PartitionedFile}
import org.apache.spark.sql.types.StringType

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
    val splits = ScanUnits.partitions(scan).flatMap(_.files)
    val placeOf = places(planned)
    val byPlace = splits.groupBy(file => placeOf(idOf(file)))
    val size = (planned.ids.size +: byPlace.keys.map(_ + 1).toSeq).max
    Array.tabulate(size) { place =>
      FilePartition(place, ScanUnits.joined(byPlace.getOrElse(place, Nil)).toArray)
    }
  }
}

private[assume] object ScanUnits {

  /** Returns what each task of a scan reads. The scan must have started. */
  def partitions(scan: FileSourceScanExec): Seq[FilePartition] = scan.inputRDD match {
    case files: FileScanRDD => files.filePartitions
    case other => throw new IllegalStateException(s"no file scan: $other")
  }

  /** Joins adjacent splits of a file. A path that is read twice remains listed twice. */
  def joined(splits: Seq[PartitionedFile]): Seq[PartitionedFile] = {
    val whole = mutable.ArrayBuffer.empty[PartitionedFile]
    splits.sortBy(split => (split.filePath.toString, split.start)).foreach { split =>
      val before = whole.lastIndexWhere(file =>
        file.filePath == split.filePath && file.start + file.length == split.start)
      if (before < 0) whole += split
      else whole(before) = whole(before).copy(length = whole(before).length + split.length)
    }
    whole.toSeq
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
