package io.eddyline.spark.globaltable.refresh

import scala.collection.mutable

import org.apache.spark.scheduler._
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

/**
 * Keeps refreshes apart from the starts of micro-batches in real-time mode. Spark fails a query
 * whose tasks do not all find a slot when its micro-batch begins, and a refresh takes slots.
 *
 * A micro-batch waits until the refreshes that run have ended, and refreshes wait until a task of
 * the micro-batch has begun. Neither waits longer than the limit, so that a source that hangs stops
 * no query, and a query that fails while it starts no refresh.
 *
 * @param limitMs the limit, in milliseconds
 */
private[globaltable] class RefreshGate(limitMs: Long = RefreshGate.LIMIT_MS) extends SparkListener {
  private val starting = mutable.Map.empty[String, Thread]
  private val stages = mutable.Map.empty[Int, String]
  private val refreshing = mutable.Set.empty[Thread]

  /** Runs a refresh while no query starts, unless it belongs to a start or to another refresh. */
  def refresh[T](body: => T): T = {
    val thread = Thread.currentThread
    val waits = synchronized {
      val isFirst = !refreshing.contains(thread) && !starting.values.exists(_ eq thread)
      if (isFirst) {
        await {
          starting.filterInPlace((_, query) => query.isAlive)
          starting.isEmpty
        }
        refreshing += thread
      }
      isFirst
    }
    try body
    finally if (waits) synchronized {
        refreshing -= thread
        notifyAll()
      }
  }

  /**
   * Waits for the refreshes, and holds others back until a task of the query has begun. Called by
   * the thread of the query.
   */
  def start(query: String): Unit = synchronized {
    starting(query) = Thread.currentThread
    await(refreshing.isEmpty)
  }

  override def onJobStart(job: SparkListenerJobStart): Unit = synchronized {
    MicroBatch.queryOf(job.properties).filter(starting.contains)
      .foreach(query => job.stageIds.foreach(stages(_) = query))
  }

  override def onTaskStart(task: SparkListenerTaskStart): Unit = synchronized {
    stages.get(task.stageId).foreach { query =>
      starting -= query
      stages.filterInPlace((_, other) => other != query)
      notifyAll()
    }
  }

  private def await(condition: => Boolean): Unit = {
    val end = System.nanoTime + limitMs * 1000000
    while (!condition && System.nanoTime - end < 0) wait(RefreshGate.LOOK_MS)
  }
}

private object RefreshGate {
  private val LIMIT_MS = 30000L

  /** How often a wait asks whether a thread that starts a query has died. */
  private val LOOK_MS = 100L
}
