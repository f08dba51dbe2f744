package io.eddyline.spark.assume

import org.apache.spark.util.AccumulatorV2

/**
 * What the tasks of a stage have gathered: the hashes of the keys of each unit that was read to its
 * end, None if there were too many. A task that runs twice adds the same.
 */
private[assume] class GatheredKeys(private var units: Map[Int, Option[Array[Long]]] = Map.empty)
  extends AccumulatorV2[(Int, Option[Array[Long]]), Map[Int, Option[Array[Long]]]] {

  override def isZero: Boolean = units.isEmpty

  override def copy(): GatheredKeys = new GatheredKeys(units)

  override def reset(): Unit = units = Map.empty

  override def add(unit: (Int, Option[Array[Long]])): Unit = units += unit

  override def merge(other: AccumulatorV2[(Int, Option[Array[Long]]), Map[Int, Option[Array[Long]]]])
    : Unit = units ++= other.value

  override def value: Map[Int, Option[Array[Long]]] = units
}
