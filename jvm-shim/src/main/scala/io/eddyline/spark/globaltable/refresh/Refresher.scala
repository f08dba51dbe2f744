package io.eddyline.spark.globaltable.refresh

import java.time.Duration
import java.util.concurrent._

import org.apache.spark.sql.eddyline.DaemonThreads

/** A table that the refresher gives its turns. */
private[globaltable] trait Refreshable {

  /** Takes one turn, from the listing of the source to the new version. */
  private[globaltable] def runOnce(): Unit

  /** The time until the next turn. */
  private[globaltable] def nextTurn: Duration

  /** Takes note of an error that ended a turn. */
  private[globaltable] def failed(error: Throwable): Unit
}

/**
 * Gives the global tables in use their turns, each at its own pace and one at a time. A turn runs
 * on a thread of its own, so that a source that hangs keeps no other table from its turn.
 */
private[globaltable] class Refresher {
  import Refresher._

  private val timer = new ScheduledThreadPoolExecutor(1, DaemonThreads(s"$NAME-timer"))
  private val threads = Executors.newCachedThreadPool(DaemonThreads(NAME))
  private val builds = new Semaphore(BUILDS, true)

  /** The next turn of each table; None while one runs. A table without turns has no entry. */
  private val turns = new ConcurrentHashMap[Refreshable, Option[ScheduledFuture[_]]]

  timer.setRemoveOnCancelPolicy(true)

  /** Schedules the table's turns, the first one after [[Refreshable.nextTurn]]. */
  def schedule(table: Refreshable): Unit = schedule(table, table.nextTurn)

  /** Schedules the table's next turn for now. */
  def scheduleNow(table: Refreshable): Unit = schedule(table, Duration.ZERO)

  /** Replaces the waiting turn; does nothing while one runs, because it schedules the next. */
  private def schedule(table: Refreshable, delay: Duration): Unit = {
    turns.compute(table, (_, turn) => if (turn == None) turn else start(table, delay, turn))
  }

  /** @param waiting the turn to replace, or null if the table has no entry */
  private def start(
      table: Refreshable,
      delay: Duration,
      waiting: Option[ScheduledFuture[_]]): Option[ScheduledFuture[_]] = {
    if (waiting != null) waiting.foreach(_.cancel(false))
    Some(timer.schedule((() => begin(table)): Runnable, delay.toMillis, TimeUnit.MILLISECONDS))
  }

  private def begin(table: Refreshable): Unit = turns.computeIfPresent(table,
    (_, waiting) =>
      try {
        // None: this turn was cancelled too late, and another one runs
        if (waiting.nonEmpty) threads.submit((() => run(table)): Runnable)
        waiting.foreach(_.cancel(false)) // it has taken the place of this one meanwhile
        None
      } catch {
        case e: OutOfMemoryError => // there is no memory for another thread
          table.failed(e)
          start(table, table.nextTurn, None)
      })

  private def run(table: Refreshable): Unit = {
    try table.runOnce()
    catch {
      case e: Throwable => table.failed(e) // such as OutOfMemoryError; the next turn may succeed
    }
    turns.computeIfPresent(table, (_, turn) => start(table, table.nextTurn, turn))
  }

  /**
   * Runs `build`, which makes replicas. No more than [[BUILDS]] turns do so at the same time, which
   * bounds the memory that they take; the thread of a statement never waits here.
   */
  def building[T](build: => T): T =
    if (!isOwnThread) build
    else {
      builds.acquire()
      try build
      finally builds.release()
    }

  /** Ends the table's turns; one that runs is the last. */
  def forget(table: Refreshable): Unit =
    Option(turns.remove(table)).flatten.foreach(_.cancel(false))

  def stop(): Unit = {
    timer.shutdownNow()
    threads.shutdownNow()
  }
}

private[globaltable] object Refresher {
  private val BUILDS = 8
  private val NAME = "eddyline-global-refresh"

  /** Whether the current thread is one of the refresher; it must not wait for another turn. */
  def isOwnThread: Boolean = Thread.currentThread.getName.startsWith(NAME)
}
