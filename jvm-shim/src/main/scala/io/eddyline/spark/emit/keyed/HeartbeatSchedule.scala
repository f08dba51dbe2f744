package io.eddyline.spark.emit.keyed

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.util.AccumulatorV2

import io.eddyline.spark.base.PerRun

/**
 * Remembers for each run of a query when HEARTBEAT repeats the next row, so that micro-batches
 * before that do not read the state of all keys. The first micro-batch of a run does.
 */
private[emit] object HeartbeatSchedule {
  private val runs = new PerRun[EarliestTime]

  /**
   * Starts a micro-batch.
   *
   * @param now the time of the micro-batch, in microseconds since the epoch
   * @param next the tasks add to it when rows are repeated after the micro-batch
   * @return whether rows may have to be repeated in the micro-batch
   */
  def begin(session: SparkSession, now: Long, next: EarliestTime): Boolean = {
    val known = MicroBatch.run(session)
      .flatMap(run => Option(runs.of(session, run).put(run, next))).map(_.value)
    known.filter(_ > now).foreach(next.add)
    known.forall(_ <= now)
  }
}

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
