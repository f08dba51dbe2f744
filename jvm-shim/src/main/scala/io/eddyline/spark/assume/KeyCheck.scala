package io.eddyline.spark.assume

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Whether equal keys lie in one unit: each task gathers the hashes of its keys, the driver compares
 * them. A collision of hashes raises a false alarm (10 million keys: 3 in a million), and hides
 * nothing, since equal keys have equal hashes.
 *
 * @param every check the keys of one hash in so many, a power of two
 * @param limit of keys that a task or the driver may hold
 */
private[assume] class KeyCheck(every: Int, limit: Int) extends Serializable {

  /**
   * @param rows with the hash of a key each, a partition a unit
   * @param known the hashes of units that need not be read
   */
  def run(rows: RDD[InternalRow], known: Map[Int, Array[Long]]): KeyCheck.Result = {
    val seen = new KeyUnits
    val read = mutable.Map.empty[Int, Array[Long]]
    var conflict: Option[KeyCheck.Conflict] = None
    var tooMany = false
    def compare(unit: Int, hashes: Array[Long]): Unit = {
      tooMany ||= seen.size + hashes.length > limit
      if (!tooMany) {
        hashes.foreach { hash =>
          val before = seen.put(hash, unit)
          if (before != KeyUnits.NONE && conflict.isEmpty) {
            conflict = Some(KeyCheck.Conflict(hash, before min unit, before max unit))
          }
        }
      }
    }
    known.foreach { case (unit, hashes) => compare(unit, hashes) }
    val unread = rows.partitions.indices.filterNot(known.contains)
    if (conflict.isEmpty && !tooMany && unread.nonEmpty) {
      rows.sparkContext.runJob(
        rows,
        (_: TaskContext, partition: Iterator[InternalRow]) => hashes(partition),
        unread,
        (index: Int, found: Option[Array[Long]]) => {
          tooMany ||= found.isEmpty
          found.foreach { hashes =>
            compare(unread(index), hashes)
            if (!tooMany) read(unread(index)) = hashes
          }
        })
    }
    KeyCheck.Result(conflict, tooMany, read.toMap)
  }

  /** The hashes of a task's keys; None if there are too many. */
  private def hashes(rows: Iterator[InternalRow]): Option[Array[Long]] = {
    val mask = every - 1L
    val seen = new KeyUnits
    var last = 0L
    var first = true
    while (rows.hasNext && seen.size <= limit) {
      val hash = rows.next().getLong(0)
      if ((first || hash != last) && (hash & mask) == 0) seen.put(hash, 0)
      last = hash
      first = false
    }
    if (seen.size > limit) None else Some(seen.keys)
  }
}

private[assume] object KeyCheck {

  /** The key of a hash is in two units. */
  case class Conflict(hash: Long, unit1: Int, unit2: Int)

  /**
   * @param tooMany whether some keys were not compared
   * @param read the hashes of each unit that was read
   */
  case class Result(conflict: Option[Conflict], tooMany: Boolean, read: Map[Int, Array[Long]]) {
    def keysRead: Long = read.valuesIterator.map(_.length.toLong).sum
  }
}
