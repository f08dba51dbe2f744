package io.eddyline.spark.emit

import org.apache.spark.util.AccumulatorV2

/**
 * The earliest of the times that the tasks of a micro-batch report, in microseconds since the
 * epoch; `Long.MaxValue` if none did.
 */
private[emit] class EarliestTime extends AccumulatorV2[Long, Long] {
  private var earliest = Long.MaxValue

  override def isZero: Boolean = earliest == Long.MaxValue

  override def copy(): EarliestTime = {
    val copied = new EarliestTime
    copied.add(earliest)
    copied
  }

  override def reset(): Unit = earliest = Long.MaxValue

  override def add(time: Long): Unit = earliest = math.min(earliest, time)

  override def merge(other: AccumulatorV2[Long, Long]): Unit = add(other.value)

  override def value: Long = earliest
}
