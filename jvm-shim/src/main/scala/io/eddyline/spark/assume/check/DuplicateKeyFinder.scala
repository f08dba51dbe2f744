package io.eddyline.spark.assume.check

import scala.collection.mutable
import scala.concurrent.Await
import scala.concurrent.duration.Duration

import org.apache.spark.{FutureAction, SparkException}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

import io.eddyline.spark.assume.verdict.Verdict
import io.eddyline.spark.base.ResultSize

/**
 * Checks whether equal keys lie in one unit: each task collects the hashes of the keys of its unit,
 * and the driver compares them. Two different keys with one hash make a true claim look false (with
 * a probability of 3 in a million at 10 million keys). No violation is missed.
 *
 * @param limit the maximum number of keys that a task or the driver may keep
 */
private[assume] class DuplicateKeyFinder(val limit: Int) extends Serializable {

  /**
   * Compares the keys of all units.
   *
   * @param rows has a partition for each unit, and in each row the hash of a key, which is NULL if
   *             the key cannot be computed
   * @param known the key hashes of the units that need not be read, by the number of the unit
   */
  def run(rows: RDD[InternalRow], known: Map[Int, Array[Long]]): DuplicateKeyFinder.Result = {
    val comparison = new DuplicateKeyFinder.Comparison(limit)
    known.foreach { case (unit, hashes) => comparison.add(unit, Some(hashes)) }
    val unread = rows.partitions.indices.filterNot(known.contains)
    if (comparison.result.holds && unread.nonEmpty) {
      read(rows, unread, comparison)
    }
    val found = comparison.result
    found.copy(read = found.read -- known.keys)
  }

  /** Reads the hashes of some units. Cancels the job when the driver has received too many keys. */
  private def read(
      rows: RDD[InternalRow], units: Seq[Int], comparison: DuplicateKeyFinder.Comparison): Unit = {
    @volatile var started: Option[FutureAction[Unit]] = None
    def stopIfFull(): Unit = if (comparison.isFull) started.foreach(_.cancel())
    val job = rows.sparkContext.submitJob(
      rows,
      (partition: Iterator[InternalRow]) => hashes(partition),
      units,
      (index: Int, found: Option[Array[Long]]) => {
        comparison.add(units(index), found)
        stopIfFull()
      }, ())
    started = Some(job)
    stopIfFull()
    try Await.result(job, Duration.Inf)
    catch {
      case _: SparkException if comparison.isFull => // cancelled above
      case e: SparkException if ResultSize.isExceeded(e) =>
        comparison.stop(Verdict.ResultsTooLarge)
    }
  }

  /**
   * Compares the keys that the tasks of another job have collected.
   *
   * @param collected the key hashes by the number of the unit; None if a unit had too many
   */
  def compare(collected: Map[Int, Option[Array[Long]]]): DuplicateKeyFinder.Result = {
    val comparison = new DuplicateKeyFinder.Comparison(limit)
    collected.foreach { case (unit, found) => comparison.add(unit, found) }
    comparison.result
  }

  def newCollector: KeyHashCollector = new KeyHashCollector(limit)

  private def hashes(rows: Iterator[InternalRow]): Option[Array[Long]] = {
    val keys = newCollector
    while (rows.hasNext && !keys.isFull) {
      val row = rows.next()
      if (!row.isNullAt(0)) keys.add(row.getLong(0))
    }
    keys.hashes
  }
}

private[assume] object DuplicateKeyFinder {

  /** A key with this hash is in two units, which are given by their numbers. */
  case class Conflict(hash: Long, unit1: Int, unit2: Int)

  /**
   * The outcome of a comparison.
   *
   * @param conflict the first key that was found in two units; None if there was none
   * @param unproven why some keys were not compared; None if all were
   * @param read the key hashes of each unit that was read
   */
  case class Result(
      conflict: Option[Conflict], unproven: Option[Verdict], read: Map[Int, Array[Long]]) {
    def holds: Boolean = conflict.isEmpty && unproven.isEmpty

    def keysRead: Long = read.valuesIterator.map(_.length.toLong).sum
  }

  /** Compares the hashes of units in the order in which they arrive. */
  private class Comparison(limit: Int) {
    private val seen = new HashToUnitMap
    private val read = mutable.Map.empty[Int, Array[Long]]
    private var conflict: Option[Conflict] = None
    @volatile private var unproven: Option[Verdict] = None

    /** Whether the comparison has stopped before all keys were compared. */
    def isFull: Boolean = unproven.nonEmpty

    def stop(why: Verdict): Unit = unproven = unproven.orElse(Some(why))

    /** Compares the key hashes of a unit with those before; None if the unit has too many. */
    def add(unit: Int, found: Option[Array[Long]]): Unit = {
      if (found.forall(seen.size + _.length > limit)) stop(Verdict.TooManyKeys(limit))
      found.filter(_ => !isFull).foreach { hashes =>
        read(unit) = hashes
        hashes.foreach { hash =>
          val before = seen.put(hash, unit)
          if (before != HashToUnitMap.NONE && conflict.isEmpty) {
            conflict = Some(Conflict(hash, before min unit, before max unit))
          }
        }
      }
    }

    def result: Result = Result(conflict, unproven, read.toMap)
  }
}
