package io.eddyline.spark.streamingquery

import java.util.concurrent.TimeUnit.SECONDS

/**
 * Decides when a query is started, and after failures again: 1, 2, 4, … seconds, at most 60, after
 * its last start, and so at once if it has run for longer.
 *
 * @param limit how often it is started again before it has succeeded
 * @param now the time in nanoseconds
 */
private[streamingquery] class Backoff(limit: Int, now: () => Long = () => System.nanoTime) {
  @volatile private var starts = 0
  @volatile private var next = now()

  def isDue: Boolean = starts <= limit && now() - next >= 0

  /** Records a start, which counts as a failure until `succeeded`. */
  def attempt(): Unit = {
    val pause = math.min(1L << math.min(starts, Backoff.DOUBLINGS), Backoff.MAX_SECONDS)
    starts += 1
    next = now() + SECONDS.toNanos(pause)
  }

  /** Resets the backoff, after a stop that was not a failure of the query. */
  def reset(): Unit = {
    starts = 0
    next = now()
  }

  /** The query runs: of its starts only the last one counts. */
  def succeeded(): Unit = starts = 1
}

private object Backoff {
  private val MAX_SECONDS = 60L
  private val DOUBLINGS = 6
}
