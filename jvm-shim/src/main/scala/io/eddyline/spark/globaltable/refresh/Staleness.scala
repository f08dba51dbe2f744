package io.eddyline.spark.globaltable.refresh

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TableId

/**
 * The wait of ON STALE for a version that is not older than MAX STALENESS.
 *
 * @param probe probes the source on this thread; a failure becomes part of the state
 * @param scheduleNow lets the refresher probe the source as soon as it can
 */
private[refresh] class Staleness(
    id: TableId,
    clock: Clock = Clock)(
    probe: () => Unit,
    scheduleNow: () => Unit) {

  /**
   * Waits, for at most the time of ON STALE, until the version is not stale. Errors: STALE.
   *
   * @param state the state at the moment of the call
   */
  def awaitFresh(state: () => TableState): Unit = if (isStale(state())) {
    val patience = state().options.staleWait
    if (patience.isEmpty || state().isManual) {
      probe()
      // the version may have become stale while it was written
      if (isStale(state()) && state().error.isEmpty) probe()
    }
    patience.filter(_ => isStale(state())).foreach { bound =>
      val deadline = clock.now + bound.toMillis
      do { // once at least, also if this thread gets no time before the deadline
        // on the refresher's threads, since a copy may take longer than the query may wait
        if (Refresher.isOwnThread) probe() else scheduleNow()
        clock.sleep(Staleness.POLL_MS)
      } while (isStale(state()) && clock.now < deadline)
    }
    if (isStale(state())) throw stale(state())
  }

  private def isStale(state: TableState): Boolean = state.isStale(clock.now)

  private def stale(state: TableState): Throwable =
    EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.STALE",
      state.staleParameters(id) +
        ("age" -> state.age(clock.now).fold("never")(ms => s"$ms ms ago")), cause = state.error)
}

private object Staleness {
  private val POLL_MS = 100L
}
