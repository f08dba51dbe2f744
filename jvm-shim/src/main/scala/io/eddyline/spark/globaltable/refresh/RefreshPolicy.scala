package io.eddyline.spark.globaltable.refresh

import java.time.Duration

/** Decides when the refresher takes its next turn for a table. */
private[refresh] class RefreshPolicy(
    state: TableState,
    history: RefreshLog,
    watch: SourceWatch,
    idleTimeout: Duration) {

  /** Whether no query has used the table for so long that its probes stop. */
  def isIdle: Boolean = System.currentTimeMillis - state.lastUse > idleTimeout.toMillis

  /**
   * Time until the next turn: REFRESH EVERY after the last probe; less if that was inconclusive,
   * more after failures. A table without probes has turns that check whether it is idle, or gone.
   */
  def nextTurn: Duration = state.options.refresh.filter(_ => isProbed) match {
    case Some(interval) if watch.isWaiting =>
      Seq(Seq(interval.dividedBy(2), RefreshPolicy.SOON).max, RefreshPolicy.CONFIRM).min
    case Some(interval) if history.backoff.isDefined =>
      if (watch.isWriting) Seq(history.backoff.get, interval).min else history.backoff.get
    case Some(interval) =>
      val due = state.lastProbe - System.currentTimeMillis
      Seq(interval.plusMillis(due), Duration.ZERO).max
    case None => idleTimeout
  }

  private def isProbed: Boolean = state.isWatched && !state.isSuspended
}

private[refresh] object RefreshPolicy {

  /** Minimum time between a probe and the one that confirms it. */
  val SOON: Duration = Duration.ofMillis(100)

  /** Maximum time between a probe and the one that confirms it. */
  private val CONFIRM = Duration.ofSeconds(1)
}
