package io.eddyline.spark.assume

import org.apache.spark.TaskContext
import org.apache.spark.util.AccumulatorV2

/**
 * What the tasks of a stage gather: the hashes of the keys of each unit that was read to its end,
 * None if there were too many. A task that runs twice adds the same.
 */
private[assume] class GatheredKeys(
    keyCheck: KeyCheck, private var units: GatheredKeys.Units = Map.empty)
  extends AccumulatorV2[GatheredKeys.Hashes, GatheredKeys.Units] {

  /**
   * On an executor, for the task that reads the unit. It adds the hashes when the task is done, so
   * heartbeats do not carry them.
   */
  def of(unit: Int): KeyGatherer = {
    val keys = keyCheck.gatherer
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      if (keys.isEnded) add(unit -> keys.hashes)
    }
    keys
  }

  private var count = units.valuesIterator.map(GatheredKeys.size).sum

  override def isZero: Boolean = units.isEmpty

  override def copy(): GatheredKeys = new GatheredKeys(keyCheck, units)

  override def reset(): Unit = {
    units = Map.empty
    count = 0
  }

  override def add(unit: GatheredKeys.Hashes): Unit = {
    val (number, hashes) = unit
    count += GatheredKeys.size(hashes) - units.get(number).fold(0L)(GatheredKeys.size)
    units += unit
    if (count > keyCheck.limit) {
      units = units.map { case (number, _) => number -> None }
      count = 0
    }
  }

  override def merge(other: AccumulatorV2[GatheredKeys.Hashes, GatheredKeys.Units]): Unit =
    other.value.foreach(add)

  override def value: GatheredKeys.Units = units
}

private[assume] object GatheredKeys {
  /** Those of the unit of a number. */
  type Hashes = (Int, Option[Array[Long]])

  type Units = Map[Int, Option[Array[Long]]]

  private def size(hashes: Option[Array[Long]]): Long = hashes.fold(0L)(_.length)
}
