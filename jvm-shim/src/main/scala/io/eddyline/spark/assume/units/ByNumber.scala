package io.eddyline.spark.assume.units

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}

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
