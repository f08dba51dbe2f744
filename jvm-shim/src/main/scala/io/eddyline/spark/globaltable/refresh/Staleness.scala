package io.eddyline.spark.globaltable.refresh

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TableId

/**
 * Whether the version of a table is older than MAX STALENESS, and the wait of ON STALE for a
 * version that is not.
 *
 * @param probe probes the source on this thread; a failure is recorded in `history`
 * @param hasten lets the refresher probe the source as soon as it can
 */
private[refresh] class Staleness(
    id: TableId,
    state: TableState,
    history: RefreshLog,
    watch: SourceWatch)(
    probe: () => Unit,
    hasten: () => Unit) {

  def isStale: Boolean =
    state.options.maxStaleness.exists(bound => history.age.forall(_ > bound.toMillis))

  /** Waits, for at most the time of ON STALE, until the version is not stale. Errors: STALE. */
  def awaitFresh(): Unit = if (isStale) {
    val patience = state.options.staleWait
    if (patience.isEmpty || state.isManual) probeTwice()
    patience.foreach { bound =>
      val deadline = System.currentTimeMillis + bound.toMillis
      while (isStale && System.currentTimeMillis < deadline) {
        // on the refresher's thread, since a copy may take longer than the query may wait
        if (Refresher.isOwnThread) probe() else hasten()
        Thread.sleep(Staleness.POLL_MS)
      }
    }
    if (isStale) throw stale
  }

  /**
   * Probes the source twice: the first probe of a source without `_SUCCESS` may be inconclusive,
   * and a healthy source must not count as stale after one.
   */
  private def probeTwice(): Unit = {
    probe()
    if (isStale && history.error.isEmpty) {
      if (watch.isWaiting) Thread.sleep(RefreshPolicy.SOON.toMillis)
      probe()
    }
  }

  private def stale: Throwable = EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.STALE",
    Map(
      "table" -> id.shortName,
      "version" -> state.version.fold("")(_.name),
      "age" -> history.age.fold("never")(ms => s"$ms ms ago"),
      "bound" -> state.options.maxStaleness.fold("")(bound => s"${bound.toMillis} ms"),
      "error" -> history.lastError.getOrElse("none")), cause = history.error)
}

private object Staleness {
  private val POLL_MS = 100L
}
