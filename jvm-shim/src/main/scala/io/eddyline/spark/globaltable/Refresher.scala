package io.eddyline.spark.globaltable

import java.time.Duration
import java.util.concurrent._
import java.util.concurrent.atomic.AtomicInteger

/**
 * Looks at the sources of the global tables in use, each at its own pace, on threads of its own.
 * A table has at most one turn in waiting.
 */
private[globaltable] class Refresher {
  private val threads = {
    val pool = new ScheduledThreadPoolExecutor(
      Refresher.THREADS, DaemonThreads(Refresher.NAME))
    pool.setRemoveOnCancelPolicy(true)
    pool
  }
  private val turns = new ConcurrentHashMap[GlobalTable, ScheduledFuture[_]]

  /** Gives the table its turns, the first one after its interval. */
  def schedule(table: GlobalTable): Unit = schedule(table, table.nextTick)

  /** Gives the table its next turn as soon as a thread is free. */
  def hasten(table: GlobalTable): Unit = schedule(table, Duration.ZERO)

  private def schedule(table: GlobalTable, delay: Duration): Unit =
    turns.compute(table, (_, waiting) => {
      if (waiting != null) waiting.cancel(false)
      threads.schedule((() => turn(table)): Runnable, delay.toMillis, TimeUnit.MILLISECONDS)
    })

  def forget(table: GlobalTable): Unit = Option(turns.remove(table)).foreach(_.cancel(false))

  def stop(): Unit = threads.shutdownNow()

  private def turn(table: GlobalTable): Unit = {
    val again = try table.tick() catch {
      case e: Throwable => // such as OutOfMemoryError: the next turn may have better luck
        table.history.failed(e)
        true
    }
    if (again) schedule(table)
  }
}

private[globaltable] object Refresher {
  private val THREADS = 4
  private val NAME = "eddyline-global-refresh"

  /** Whether a table has its turn on this thread, which must not wait for the turn of another. */
  def isOwnThread: Boolean = Thread.currentThread.getName.startsWith(NAME)
}

/** Threads that do not keep the JVM alive. */
private[globaltable] object DaemonThreads {
  def apply(name: String): ThreadFactory = {
    val count = new AtomicInteger
    task => {
      val thread = new Thread(task, s"$name-${count.incrementAndGet()}")
      thread.setDaemon(true)
      thread
    }
  }
}
