package io.eddyline.spark.assume.units

import java.io.FileNotFoundException

import scala.collection.mutable.ArrayBuffer
import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.{NarrowDependency, Partition, TaskContext}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.util.SerializableConfiguration

import io.eddyline.spark.base.EddylineErrors

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

/**
 * Lets tasks fail that read a file which has changed since it was listed, when it was checked.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.FILE_CHANGED.
 */
private[assume] class UnchangedFilesGuard(
    keys: String, relation: String, origin: Origin, conf: Broadcast[SerializableConfiguration])
  extends Serializable {

  /** Returns the rows of a unit. Its files are checked before the first row and after the last. */
  def checkedRows[T](unit: FilePartition, rows: Iterator[T]): Iterator[T] = new Iterator[T] {
    private var begun = false
    private var ended = false

    override def hasNext: Boolean = {
      if (!begun) requireUnchanged(unit)
      begun = true
      if (!ended && !rows.hasNext) {
        requireUnchanged(unit)
        ended = true
      }
      !ended
    }

    override def next(): T = rows.next()
  }

  /** Skips missing files, for which the scan itself fails with a FileNotFoundException. */
  private def requireUnchanged(unit: FilePartition): Unit =
    unit.files.distinctBy(_.filePath).foreach { file =>
      val listed = FileVersion(file.toPath.toString, file.fileSize, file.modificationTime)
      if (now(file.toPath, conf.value.value).exists(!_.isSame(listed))) {
        throw EddylineErrors.runtime("EDDYLINE_ASSUME.FILE_CHANGED",
          Map("file" -> listed.path, "keys" -> keys, "relation" -> relation),
          origin)
      }
    }

  /** Returns a file as it is now; None if it is missing. */
  private def now(path: Path, conf: Configuration): Option[FileVersion] =
    try {
      val file = path.getFileSystem(conf).getFileStatus(path)
      Some(FileVersion(file).copy(path = path.toString))
    } catch {
      case _: FileNotFoundException => None
    }
}

/**
 * The rows of units that another extension has read, with a check that the files are as listed.
 *
 * @param rows has a partition for each unit
 * @param units the files of each unit
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
      guard.checkedRows(unit.files, firstParent[T].iterator(unit.read, context))
  }
}

private object GuardedUnitsRDD {
  private class Unit(val read: Partition, val files: FilePartition) extends Partition {
    override def index: Int = read.index
  }
}
