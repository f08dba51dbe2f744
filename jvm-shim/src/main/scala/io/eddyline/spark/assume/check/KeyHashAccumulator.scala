package io.eddyline.spark.assume.check

import org.apache.spark.TaskContext
import org.apache.spark.util.AccumulatorV2

import io.eddyline.spark.base.ResultSize

/**
 * Collects the key hashes that the tasks of a stage read, for each unit that was read to its end. A
 * unit has None in the place of hashes if it, or all units together, had more than the limit of
 * keys, or more than a task may send to the driver. A task that runs twice adds the same hashes.
 */
private[assume] class KeyHashAccumulator(
    finder: DuplicateKeyFinder, private var units: KeyHashAccumulator.Units = Map.empty)
  extends AccumulatorV2[KeyHashAccumulator.Hashes, KeyHashAccumulator.Units] {

  /**
   * Returns the collector of the task that reads a unit. Its hashes are added when the task is
   * done, so that the executor's heartbeats do not send them.
   */
  def of(unit: Int): KeyHashCollector = {
    val keys = finder.newCollector
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      if (keys.isEnded) add(unit -> keys.hashes.filter(ResultSize.canSend))
    }
    keys
  }

  private var count = units.valuesIterator.map(KeyHashAccumulator.size).sum

  override def isZero: Boolean = units.isEmpty

  override def copy(): KeyHashAccumulator = new KeyHashAccumulator(finder, units)

  override def reset(): Unit = {
    units = Map.empty
    count = 0
  }

  override def add(unit: KeyHashAccumulator.Hashes): Unit = {
    val (number, hashes) = unit
    count += KeyHashAccumulator.size(hashes) - units.get(number).fold(0L)(KeyHashAccumulator.size)
    units += unit
    if (count > finder.limit) {
      units = units.map { case (number, _) => number -> None }
      count = 0
    }
  }

  override def merge(
      other: AccumulatorV2[KeyHashAccumulator.Hashes, KeyHashAccumulator.Units]): Unit =
    other.value.foreach(add)

  override def value: KeyHashAccumulator.Units = units
}

private[assume] object KeyHashAccumulator {

  /** The number of a unit and its key hashes; None if there were too many. */
  type Hashes = (Int, Option[Array[Long]])

  /** The key hashes by the number of the unit; None if a unit had too many. */
  type Units = Map[Int, Option[Array[Long]]]

  private def size(hashes: Option[Array[Long]]): Long = hashes.fold(0L)(_.length)
}
