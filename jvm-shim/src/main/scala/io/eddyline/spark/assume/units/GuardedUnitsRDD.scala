package io.eddyline.spark.assume.units

import scala.reflect.ClassTag

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.datasources.FilePartition

/**
 * The rows of units that were read by another extension, each checked to be of the files as listed.
 *
 * @param rows has a partition for each unit
 */
private[assume] class GuardedUnitsRDD[T: ClassTag](
    rows: RDD[T], @transient private val units: Array[FilePartition], guard: UnchangedFilesGuard)
  extends RDD[T](rows) {

  override protected def getPartitions: Array[Partition] =
    rows.partitions.zip(units).map { case (read, unit) => new GuardedUnitsRDD.Unit(read, unit) }

  override protected def getPreferredLocations(split: Partition): Seq[String] = split match {
    case unit: GuardedUnitsRDD.Unit => unit.files.preferredLocations().toSeq
  }

  override def compute(split: Partition, context: TaskContext): Iterator[T] = split match {
    case unit: GuardedUnitsRDD.Unit =>
      guard.required(unit.files, firstParent[T].iterator(unit.read, context))
  }
}

private object GuardedUnitsRDD {
  private class Unit(val read: Partition, val files: FilePartition) extends Partition {
    override def index: Int = read.index
  }
}
