package io.eddyline.spark.assume

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.InternalRowComparableWrapper
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD, PartitionedFile}

/**
 * The units of a file scan, by the listing after static pruning: dynamic pruning empties units but
 * renumbers none.
 */
private[assume] abstract class ScanUnits(scan: FileSourceScanExec) {
  type Id

  /** What tells the units apart, in order. */
  def ids: Seq[Id]

  /** Bytes of each unit that has a file, as listed. */
  def sizes: Seq[Long]

  protected def idOf(file: PartitionedFile): Id

  /** The files that the scan reads, whole, one partition a unit. The scan must have started. */
  def regroup(): Array[FilePartition] = {
    val splits = scan.inputRDD match {
      case files: FileScanRDD => files.filePartitions.flatMap(_.files)
      case other => throw new IllegalStateException(s"no file scan: $other")
    }
    val byUnit = splits.groupBy(idOf)
    ids.zipWithIndex.map { case (id, index) =>
      FilePartition(index, ScanUnits.joined(byUnit.getOrElse(id, Nil)).toArray)
    }.toArray
  }
}

private[assume] object ScanUnits {

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
private[assume] class PartitionValueUnits(scan: FileSourceScanExec, columns: Seq[Attribute])
  extends ScanUnits(scan) {
  override type Id = InternalRowComparableWrapper

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
    val bytes = mutable.Map.empty[Id, Long].withDefaultValue(0L)
    scan.selectedPartitions.filePartitionIterator.foreach { partition =>
      bytes(comparable(valueOf(partition.values))) += partition.files.map(_.getLen).sum
    }
    ids.map(bytes)
  }

  override protected def idOf(file: PartitionedFile): InternalRowComparableWrapper =
    comparable(valueOf(file.partitionValues))

  private def valueOf(partition: InternalRow): InternalRow =
    InternalRow.fromSeq(ordinals.zip(types).map { case (i, t) => partition.get(i, t) })
}
