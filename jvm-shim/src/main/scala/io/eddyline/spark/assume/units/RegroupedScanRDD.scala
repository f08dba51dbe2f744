package io.eddyline.spark.assume.units

import scala.collection.mutable.ArrayBuffer
import scala.reflect.ClassTag

import org.apache.spark.{NarrowDependency, Partition, TaskContext}
import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.execution.datasources.FilePartition

/**
 * The rows of a file scan with one partition for each unit. A scan can compute any `FilePartition`,
 * because its RDDs depend on each other one to one and pass the partition down to the
 * `FileScanRDD`, which reads the files in it.
 *
 * @param units the files of each unit
 * @param guard checks that the files are still as listed; None if they need no check
 */
private[assume] class RegroupedScanRDD[T: ClassTag](
    scan: RDD[T],
    @transient private val units: Array[FilePartition],
    guard: Option[UnchangedFilesGuard])
  extends RDD[T](scan.context, Seq(new RegroupedScanRDD.ScanDependency[T](scan))) {

  override protected def getPartitions: Array[Partition] = units.map(unit => unit: Partition)

  override protected def getPreferredLocations(split: Partition): Seq[String] = split match {
    case unit: FilePartition => unit.preferredLocations().toSeq
  }

  override def compute(split: Partition, context: TaskContext): Iterator[T] = {
    val rows = firstParent[T].compute(split, context)
    (guard, split) match {
      case (Some(check), unit: FilePartition) => check.checkedRows(unit, rows)
      case _ => rows
    }
  }
}

private object RegroupedScanRDD {

  /** A dependency without parents, since no partition of the scan corresponds to a unit. */
  private class ScanDependency[T](scan: RDD[T]) extends NarrowDependency[T](scan) {
    override def getParents(partition: Int): Seq[Int] = Nil
  }
}

/**
 * Coalesces the partitions of an RDD that have the number n to partition n, which is empty if there
 * are none.
 *
 * @param numbers the number of each partition of the RDD
 */
private[assume] class PartitionNumberCoalescer(numbers: Seq[Int])
  extends PartitionCoalescer with Serializable {
  override def coalesce(size: Int, parent: RDD[_]): Array[PartitionGroup] = {
    val partitions = parent.partitions.toSeq.zip(numbers).groupMap(_._2)(_._1)
    Array.tabulate(size) { number =>
      val group = new PartitionGroup()
      group.partitions ++= ArrayBuffer.from(partitions.getOrElse(number, Nil))
      group
    }
  }
}
