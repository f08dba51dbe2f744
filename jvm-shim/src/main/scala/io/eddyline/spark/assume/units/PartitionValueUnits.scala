package io.eddyline.spark.assume.units

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.InternalRowComparableWrapper
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.StringType

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
