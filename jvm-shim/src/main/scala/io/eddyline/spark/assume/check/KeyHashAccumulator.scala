package io.eddyline.spark.assume.check

import org.apache.spark.TaskContext
import org.apache.spark.util.AccumulatorV2

import io.eddyline.spark.base.ResultSize

/**
 * Collects the key hashes that the tasks of a stage read, for each unit that was read to its end.
 * The hashes of a unit are None if its task could not send them to the driver, and if the unit, or
 * all units together, had too many keys. A task that runs twice adds the same hashes.
 */
private[assume] class KeyHashAccumulator(
    finder: DuplicateKeyFinder,
    private var hashesByUnit: KeyHashAccumulator.HashesByUnit = Map.empty)
  extends AccumulatorV2[KeyHashAccumulator.UnitHashes, KeyHashAccumulator.HashesByUnit] {
  import KeyHashAccumulator._

  private var numHashes = hashesByUnit.valuesIterator.map(size).sum

  /**
   * Returns the collector of the task that reads a unit. Its hashes are added when the task is
   * done, so that the executor's heartbeats do not send them.
   */
  def collectorOf(unit: Int): KeyHashCollector = {
    val collector = finder.newCollector
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      if (collector.isEnded) add(unit -> collector.hashes.filter(ResultSize.canSend))
    }
    collector
  }

  override def isZero: Boolean = hashesByUnit.isEmpty

  override def copy(): KeyHashAccumulator = new KeyHashAccumulator(finder, hashesByUnit)

  override def reset(): Unit = {
    hashesByUnit = Map.empty
    numHashes = 0
  }

  override def add(found: UnitHashes): Unit = {
    val (unit, hashes) = found
    numHashes += size(hashes) - hashesByUnit.get(unit).fold(0L)(size)
    hashesByUnit += found
    if (numHashes > finder.limit) {
      hashesByUnit = hashesByUnit.map { case (unit, _) => unit -> None }
      numHashes = 0
    }
  }

  override def merge(other: AccumulatorV2[UnitHashes, HashesByUnit]): Unit =
    other.value.foreach(add)

  override def value: HashesByUnit = hashesByUnit
}

private[assume] object KeyHashAccumulator {

  /** The number of a unit and its key hashes; None if there were too many. */
  type UnitHashes = (Int, Option[Array[Long]])

  /** The key hashes by the number of the unit; None if a unit had too many. */
  type HashesByUnit = Map[Int, Option[Array[Long]]]

  private def size(hashes: Option[Array[Long]]): Long = hashes.fold(0L)(_.length)
}
