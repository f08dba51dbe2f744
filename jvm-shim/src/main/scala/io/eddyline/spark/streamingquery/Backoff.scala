package io.eddyline.spark.streamingquery

import java.util.concurrent.TimeUnit.SECONDS

/**
 * Decides when a query is started, and after failures again: after 1, 2, 4, … seconds, at most 60.
 *
 * @param limit how often it is started again before it has succeeded
 */
private[streamingquery] class Backoff(limit: Int) {
  @volatile private var failures = 0
  @volatile private var next = System.nanoTime

  def isDue: Boolean = failures <= limit && System.nanoTime - next >= 0

  /** Records an attempt, which counts as a failure until `reset`. */
  def attempt(): Unit = {
    val pause = math.min(1L << math.min(failures, Backoff.DOUBLINGS), Backoff.MAX_SECONDS)
    failures += 1
    next = System.nanoTime + SECONDS.toNanos(pause)
  }

  def reset(): Unit = failures = 0
}

private object Backoff {
  private val MAX_SECONDS = 60L
  private val DOUBLINGS = 6
}
