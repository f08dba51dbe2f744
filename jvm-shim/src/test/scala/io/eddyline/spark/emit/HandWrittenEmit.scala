package io.eddyline.spark.emit

import java.lang.{Long => JLong}

import org.apache.spark.sql.{DataFrame, Encoders}
import org.apache.spark.sql.streaming._

/**
 * `SELECT k, max(v) AS m .. GROUP BY k EMIT ON CHANGE` written by hand with the typed API: one
 * value per key, one read of the state and at most one write. `transformWithState` needs RocksDB.
 */
object HandWrittenEmit {

  /**
   * Returns the maximum of every key, emitted when it has changed.
   *
   * @param events a stream of `k BIGINT, v BIGINT`, both without nulls
   * @return `k BIGINT, m BIGINT`, in update mode
   */
  def maximum(events: DataFrame): DataFrame = {
    import events.sparkSession.implicits._
    events
      .as[(Long, Long)]
      .groupByKey(_._1)
      .mapValues(_._2)
      .transformWithState(new ChangedMaximum, TimeMode.None(), OutputMode.Update())
      .toDF("k", "m")
  }
}

/** Keeps the maximum of a key. */
class ChangedMaximum extends StatefulProcessor[Long, Long, (Long, Long)] {

  @transient private var last: ValueState[JLong] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    last = getHandle.getValueState("last", Encoders.LONG, TTLConfig.NONE)

  override def handleInputRows(
      key: Long,
      values: Iterator[Long],
      timers: TimerValues): Iterator[(Long, Long)] = {
    val largest = values.max
    val before = last.get()
    if (before == null || largest > before) {
      last.update(largest)
      Iterator.single(key -> largest)
    } else {
      Iterator.empty
    }
  }
}
