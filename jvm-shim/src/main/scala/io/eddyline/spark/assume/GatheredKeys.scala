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

  override def isZero: Boolean = units.isEmpty

  override def copy(): GatheredKeys = new GatheredKeys(keyCheck, units)

  override def reset(): Unit = units = Map.empty

  override def add(unit: GatheredKeys.Hashes): Unit = {
    units += unit
    val isFull = units.valuesIterator.flatten.map(_.length.toLong).sum > keyCheck.limit
    if (isFull) units = units.map { case (number, _) => number -> None }
  }

  override def merge(other: AccumulatorV2[GatheredKeys.Hashes, GatheredKeys.Units]): Unit =
    other.value.foreach(add)

  override def value: GatheredKeys.Units = units
}

private[assume] object GatheredKeys {
  /** Those of the unit of a number. */
  type Hashes = (Int, Option[Array[Long]])

  type Units = Map[Int, Option[Array[Long]]]
}
