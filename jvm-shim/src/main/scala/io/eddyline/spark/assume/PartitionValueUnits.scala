package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.InternalRowComparableWrapper
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD, PartitionedFile}

/**
 * The units of a file table by the typed values of some of its partition columns: `d=1` and `d=01`
 * are one unit of an integer column, and the default partition is NULL.
 */
private[assume] class PartitionValueUnits(scan: FileSourceScanExec, columns: Seq[Attribute]) {
  private val types = columns.map(_.dataType)
  private val comparable =
    InternalRowComparableWrapper.getInternalRowComparableWrapperFactory(types)
  private val ordinals = columns.map { column =>
    scan.relation.partitionSchema.fieldNames.indexWhere(scan.conf.resolver(_, column.name))
  }

  /**
   * One row a unit, in order. By the listing after static pruning: dynamic pruning empties units
   * but renumbers none.
   */
  val values: Seq[InternalRow] = {
    val all = scan.selectedPartitions.filePartitionIterator.map(p => comparable(valueOf(p.values)))
    all.toSeq.distinct.map(_.row).sorted(RowOrdering.createNaturalAscendingOrdering(types))
  }

  /** The files that the scan reads, whole, one partition a unit. The scan must have started. */
  def regroup(): Array[FilePartition] = {
    val splits = scan.inputRDD match {
      case files: FileScanRDD => files.filePartitions.flatMap(_.files)
      case other => throw new IllegalStateException(s"no file scan: $other")
    }
    val byUnit = wholeFiles(splits).groupBy(file => comparable(valueOf(file.partitionValues)))
    values.zipWithIndex.map { case (value, index) =>
      val files = byUnit.getOrElse(comparable(value), Nil).sortBy(_.filePath.toString)
      FilePartition(index, files.toArray)
    }.toArray
  }

  private def wholeFiles(splits: Seq[PartitionedFile]): Seq[PartitionedFile] =
    splits.groupBy(split => (split.filePath, comparable(valueOf(split.partitionValues)))).values
      .map { parts =>
        val first = parts.minBy(_.start)
        first.copy(
          length = parts.map(_.length).sum,
          locations = parts.flatMap(_.locations).distinct.toArray)
      }.toSeq

  private def valueOf(partition: InternalRow): InternalRow =
    InternalRow.fromSeq(ordinals.zip(types).map { case (i, t) => partition.get(i, t) })
}
