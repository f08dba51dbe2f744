package io.eddyline.spark.globaltable.refresh

import java.time.Duration
import java.util.concurrent._

import org.apache.spark.sql.eddyline.DaemonThreads

/** A table that the refresher calls repeatedly. */
private[globaltable] trait Refreshable {

  /** Takes one turn; returns whether there is to be another. */
  private[globaltable] def tick(): Boolean

  /** The time until the next turn. */
  private[globaltable] def nextTick: Duration

  private[globaltable] def failed(error: Throwable): Unit
}

/**
 * Calls [[Refreshable.tick]] of the global tables in use, each at its own pace, on its own threads.
 * A table has at most one call scheduled.
 */
private[globaltable] class Refresher {
  private val threads = {
    val pool = new ScheduledThreadPoolExecutor(
      Refresher.THREADS, DaemonThreads(Refresher.NAME))
    pool.setRemoveOnCancelPolicy(true)
    pool
  }
  private val turns = new ConcurrentHashMap[Refreshable, ScheduledFuture[_]]

  /** Schedules the table's turns, the first one after [[Refreshable.nextTick]]. */
  def schedule(table: Refreshable): Unit = schedule(table, table.nextTick)

  /** Schedules the table's next turn for as soon as a thread is free. */
  def hasten(table: Refreshable): Unit = schedule(table, Duration.ZERO)

  private def schedule(table: Refreshable, delay: Duration): Unit =
    turns.compute(table,
      (_, waiting) => {
        if (waiting != null) waiting.cancel(false)
        threads.schedule((() => turn(table)): Runnable, delay.toMillis, TimeUnit.MILLISECONDS)
      })

  def forget(table: Refreshable): Unit = Option(turns.remove(table)).foreach(_.cancel(false))

  def stop(): Unit = threads.shutdownNow()

  private def turn(table: Refreshable): Unit = {
    val again =
      try table.tick()
      catch {
        case e: Throwable => // such as OutOfMemoryError; the next turn may succeed
          table.failed(e)
          true
      }
    if (again) schedule(table)
  }
}

private[globaltable] object Refresher {
  private val THREADS = 4
  private val NAME = "eddyline-global-refresh"

  /** Whether this is a thread of the refresher, which must not wait for another table's turn. */
  def isOwnThread: Boolean = Thread.currentThread.getName.startsWith(NAME)
}
