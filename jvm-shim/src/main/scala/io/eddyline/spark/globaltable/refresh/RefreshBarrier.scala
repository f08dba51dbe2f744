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
 * no query, and a query that fails while it starts no refresh. A start counts no longer than the
 * limit either: Spark drops events of tasks when a listener is late.
 *
 * @param limitMs the limit, in milliseconds
 * @param clock the current time in ns, which never goes back
 */
private[globaltable] class RefreshBarrier(
    limitMs: Long = RefreshBarrier.LIMIT_MS, clock: () => Long = () => System.nanoTime)
  extends SparkListener {
  import RefreshBarrier._

  private val starting = mutable.Map.empty[String, Start]
  private val stages = mutable.Map.empty[Int, String]
  private val refreshing = mutable.Set.empty[Thread]

  /** Runs a refresh while no query starts, unless it belongs to a start or to another refresh. */
  def refresh[T](body: => T): T = {
    val thread = Thread.currentThread
    val waits = synchronized {
      val isFirst = !refreshing.contains(thread) && !starting.values.exists(_.thread eq thread)
      if (isFirst) {
        await {
          starting.filterInPlace((_, start) => start.thread.isAlive && !hasPassed(start.since))
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
    def begin(): Unit = starting(query) = Start(Thread.currentThread, clock())
    begin()
    await(refreshing.isEmpty)
    begin()
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
    val begun = clock()
    while (!condition && !hasPassed(begun)) wait(LIVENESS_CHECK_MS)
  }

  /** Whether the limit has passed since a moment. */
  private def hasPassed(since: Long): Boolean = clock() - since >= limitMs * 1000000
}

private object RefreshBarrier {
  private val LIMIT_MS = 30000L

  /** How often a wait asks whether a thread that starts a query has died. */
  private val LIVENESS_CHECK_MS = 100L

  /** A micro-batch that starts, and the moment from which it holds refreshes back. */
  private case class Start(thread: Thread, since: Long)
}
