package io.eddyline.spark.globaltable.refresh

import java.time.Duration
import java.util.concurrent._

import org.apache.spark.sql.eddyline.DaemonThreads

/**
 * Calls [[Refreshable.tick]] of the global tables in use, each at its own pace. A copy runs on a
 * thread of another pool, so that slow sources do not keep other tables from being probed.
 */
private[globaltable] class Refresher {
  import Refresher._

  private val probes =
    new ScheduledThreadPoolExecutor(PROBES, DaemonThreads(s"$NAME-probe"))
  private val copies = Executors.newFixedThreadPool(COPIES, DaemonThreads(s"$NAME-copy"))
  private val turns = new ConcurrentHashMap[Refreshable, ScheduledFuture[_]]
  private val copying = ConcurrentHashMap.newKeySet[Refreshable]

  probes.setRemoveOnCancelPolicy(true)

  /** Schedules the table's turns, the first one after [[Refreshable.nextTick]]. */
  def schedule(table: Refreshable): Unit = schedule(table, table.nextTick)

  /** Schedules the table's next turn for as soon as a thread is free. */
  def hasten(table: Refreshable): Unit = schedule(table, Duration.ZERO)

  /** Schedules a turn in the place of the waiting one; after a copy, the next turn follows it. */
  private def schedule(table: Refreshable, delay: Duration): Unit =
    if (!copying.contains(table)) turns.compute(table, (_, waiting) => next(table, delay, waiting))

  /** Schedules another turn of a table, unless it was forgotten during the last one. */
  private def again(table: Refreshable): Unit = if (!copying.contains(table)) {
    turns.computeIfPresent(table, (_, waiting) => next(table, table.nextTick, waiting))
  }

  private def next(
      table: Refreshable, delay: Duration, waiting: ScheduledFuture[_]): ScheduledFuture[_] = {
    if (waiting != null) waiting.cancel(false)
    probes.schedule((() => turn(table)): Runnable, delay.toMillis, TimeUnit.MILLISECONDS)
  }

  /** Ends the table's turns; a turn or a copy that runs is the last one. */
  def forget(table: Refreshable): Unit = {
    Option(turns.remove(table)).foreach(_.cancel(false))
    copying.remove(table)
  }

  def stop(): Unit = {
    probes.shutdownNow()
    copies.shutdownNow()
  }

  private def turn(table: Refreshable): Unit = guard[Turn](table, Turn.Again)(table.tick()) match {
    case Turn.Again => again(table)
    case Turn.Copy =>
      turns.computeIfPresent(table,
        (_, turn) => {
          if (copying.add(table)) copies.submit((() => copy(table)): Runnable)
          turn
        })
    case Turn.Last =>
  }

  private def copy(table: Refreshable): Unit = if (copying.contains(table)) {
    guard(table, ())(table.copy())
    if (copying.remove(table)) again(table)
  }

  private def guard[T](table: Refreshable, otherwise: T)(work: => T): T =
    try work
    catch {
      case e: Throwable => // such as OutOfMemoryError; the next turn may succeed
        table.failed(e)
        otherwise
    }
}

private[globaltable] object Refresher {
  private val PROBES = 4

  /** Number of copies at the same time; it bounds the memory in which replicas are built. */
  private val COPIES = 8
  private val NAME = "eddyline-global-refresh"

  /** Whether this is a thread of the refresher, which must not wait for another table's turn. */
  def isOwnThread: Boolean = Thread.currentThread.getName.startsWith(NAME)
}
