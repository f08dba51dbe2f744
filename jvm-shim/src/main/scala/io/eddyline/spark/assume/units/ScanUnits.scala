package io.eddyline.spark.assume.units

import scala.collection.mutable

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.InternalRowComparableWrapper
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD, PartitionedFile}
import org.apache.spark.sql.types.StringType

import io.eddyline.spark.assume.claim.Layout

/**
 * The units of a file scan, by the listing after static pruning: dynamic pruning empties units but
 * renumbers none.
 */
private[assume] abstract class ScanUnits(val scan: FileSourceScanExec) {

  /** What tells the units apart, in order. */
  def ids: Seq[Any]

  /** Path, length and time of change of each file, as listed. */
  lazy val files: Seq[FileVersion] = scan.selectedPartitions.filePartitionIterator
    .flatMap(_.files).map(FileVersion(_)).toSeq.distinct.sortBy(_.path)

  /** The name of a file, in a partitioned table with its folder. */
  def nameOf(file: FileVersion): String = {
    val path = new Path(file.path)
    val inFolder = scan.relation.partitionSchema.nonEmpty
    if (inFolder) s"${path.getParent.getName}/${path.getName}" else path.getName
  }

  /** Bytes of each unit that has a file, as listed. */
  def sizes: Seq[Long]

  protected def idOf(file: PartitionedFile): Any

  /** Something, by its name, that lies in no unit of a plan which was made before the listing. */
  def misfit(planned: ScanUnits): Option[String]

  /** The units of a plan that these are read as. */
  protected def places(planned: ScanUnits): Map[Any, Int] = planned.ids.zipWithIndex.toMap

  /**
   * The files that the scan reads, whole, a partition for each unit of the plan. The scan must have
   * started, and have no misfit.
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

  /**
   * @param columns the partition columns among the keys of a claim
   * @param layout how the units are numbered, if they are files
   */
  def of(scan: FileSourceScanExec, columns: Seq[Attribute], layout: Layout): ScanUnits =
    if (columns.nonEmpty) new PartitionValueUnits(scan, columns)
    else if (layout.isNumbered) new NumberedUnits(scan, layout.size)
    else new UnitPerFile(scan)

  /** Splits of a file that follow each other as one. A path that is read twice is listed twice. */
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
 * By the typed values of some of the table's partition columns: `d=1` and `d=01` are one unit of an
 * integer column, and the default partition is NULL.
 */
private[assume] class PartitionValueUnits(scan: FileSourceScanExec, val columns: Seq[Attribute])
  extends ScanUnits(scan) {

  private val types = columns.map(_.dataType)
  private val comparable =
    InternalRowComparableWrapper.getInternalRowComparableWrapperFactory(types)
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
    values.zip(ids).collectFirst { case (row, id) if !known(id) =>
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
