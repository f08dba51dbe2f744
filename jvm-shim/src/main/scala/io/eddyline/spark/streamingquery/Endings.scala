package io.eddyline.spark.streamingquery

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.eddyline.DaemonThreads

/**
 * Ends things at once, each on a daemon thread of its own. Nobody waits for these, since a thread
 * of a query may ignore that it is interrupted.
 */
private[streamingquery] class Endings[T](name: T => String)(end: T => Unit) {
  private val running = ConcurrentHashMap.newKeySet[T]

  /** Begins to end what is not being ended yet, and returns that. */
  def begin(all: Seq[T]): Seq[T] = {
    val begun = all.filter(running.add)
    begun.foreach { each =>
      DaemonThreads(s"end of ${name(each)}").newThread { () =>
        try end(each)
        finally running.remove(each): Unit
      }.start()
    }
    begun
  }

  /** Whether something is being ended; Spark says of a query that it has ended before it has. */
  def isEnding(one: T): Boolean = running.contains(one)
}
