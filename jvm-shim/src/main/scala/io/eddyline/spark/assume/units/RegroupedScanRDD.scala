package io.eddyline.spark.assume.units

import scala.collection.mutable.ArrayBuffer
import scala.reflect.ClassTag

import org.apache.spark.{NarrowDependency, Partition, TaskContext}
import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.execution.datasources.FilePartition

/**
 * A file scan with other partitions than its own. The RDDs of a scan are one-to-one, so each passes
 * the partition it is given down to the RDD that reads the files, which reads those it names.
 *
 * @param units the partitions, one for each unit
 * @param guard checks that the files are still as listed; None if they need no check
 */
private[assume] class RegroupedScanRDD[T: ClassTag](
    scan: RDD[T],
    @transient private val units: Array[FilePartition],
    guard: Option[UnchangedFilesGuard])
  extends RDD[T](scan.context, Seq(new RegroupedScanRDD.Regrouped[T](scan))) {

  override protected def getPartitions: Array[Partition] = units.map(unit => unit: Partition)

  override protected def getPreferredLocations(split: Partition): Seq[String] = split match {
    case unit: FilePartition => unit.preferredLocations().toSeq
  }

  override def compute(split: Partition, context: TaskContext): Iterator[T] = {
    val rows = firstParent[T].compute(split, context)
    (guard, split) match {
      case (Some(files), unit: FilePartition) => files.required(unit, rows)
      case _ => rows
    }
  }
}

private object RegroupedScanRDD {

  /** A dependency without parents, since no unit corresponds to a partition of the scan. */
  private class Regrouped[T](scan: RDD[T]) extends NarrowDependency[T](scan) {
    override def getParents(partition: Int): Seq[Int] = Nil
  }
}

/**
 * Puts the partitions of an RDD with one number together, at the place of that number. A number
 * that no partition has is an empty partition.
 *
 * @param numbers the number of each partition of the RDD
 */
private[assume] class ByNumber(numbers: Seq[Int]) extends PartitionCoalescer with Serializable {
  override def coalesce(size: Int, parent: RDD[_]): Array[PartitionGroup] = {
    val partitions = parent.partitions.toSeq.zip(numbers).groupMap(_._2)(_._1)
    Array.tabulate(size) { number =>
      val group = new PartitionGroup()
      group.partitions ++= ArrayBuffer.from(partitions.getOrElse(number, Nil))
      group
    }
  }
}
