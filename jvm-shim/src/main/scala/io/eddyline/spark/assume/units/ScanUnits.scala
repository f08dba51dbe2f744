package io.eddyline.spark.assume.units

import scala.collection.mutable

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD, PartitionedFile}

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
