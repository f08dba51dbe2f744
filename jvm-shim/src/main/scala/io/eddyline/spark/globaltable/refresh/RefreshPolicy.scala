package io.eddyline.spark.globaltable.refresh

import java.time.Duration

/** Decides when the refresher takes its next turn for a table. */
private[refresh] class RefreshPolicy(idleTimeout: Duration) {

  /** Whether no query has used the table for so long that its probes stop. */
  def isIdle(state: TableState, now: Long): Boolean = now - state.lastUse > idleTimeout.toMillis

  /**
   * Time until the next turn: REFRESH EVERY after the last probe; less if that was inconclusive,
   * more after failures. A table without probes has turns that check whether it is idle, or gone.
   */
  def nextTurn(state: TableState, now: Long): Duration =
    (state.options.refresh.filter(_ => state.isProbed), state.backoff) match {
      case (None, _) => idleTimeout
      case (Some(interval), _) if state.isWaiting =>
        Seq(Seq(interval.dividedBy(10), RefreshPolicy.SOON).max, RefreshPolicy.LATER).min
      case (Some(interval), Some(wait)) =>
        if (state.isOverwritten) Seq(wait, interval).min else wait
      case (Some(interval), None) =>
        Seq(interval.plusMillis(state.lastProbe - now), Duration.ZERO).max
    }
}

private[refresh] object RefreshPolicy {

  /** The shortest and the longest time between an inconclusive probe and the next one. */
  val SOON: Duration = Duration.ofMillis(100)
  private val LATER = Duration.ofSeconds(1)
}

/** The time, in ms since the epoch. A test sets its own. */
private[refresh] trait Clock {
  def now: Long

  def sleep(ms: Long): Unit
}

private[refresh] object Clock extends Clock {
  override def now: Long = System.currentTimeMillis

  override def sleep(ms: Long): Unit = Thread.sleep(ms)
}
