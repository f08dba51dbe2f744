package io.eddyline.spark.streamingquery

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit.{MILLISECONDS, NANOSECONDS}

import scala.jdk.CollectionConverters._

/**
 * Runs an action for each item on its own daemon thread, so that a hanging item does not block the
 * others: a thread of a query may ignore that it is interrupted.
 *
 * @param name the name of the thread of an item
 */
private[streamingquery] class PerItemThreads[T](name: T => String)(act: T => Unit) {
  private val running = new ConcurrentHashMap[T, Thread]
  @volatile private var hasEnded = false

  /** Starts the actions that do not run yet, and returns their items; waits for none. */
  def begin(all: Seq[T]): Seq[T] = if (hasEnded) Nil else all.filter(beginOne)

  /** Starts the action of one item; returns false if it runs already. */
  private def beginOne(each: T): Boolean = {
    val thread = new Thread(
      () =>
        try act(each)
        finally running.remove(each): Unit,
      name(each))
    thread.setDaemon(true)
    val isNew = running.putIfAbsent(each, thread) == null
    if (isNew) {
      try thread.start()
      catch {
        case e: Throwable => // there are too many threads
          running.remove(each)
          throw e
      }
    }
    isNew
  }

  /** Runs the actions of all items, and waits for their ends. */
  def await(all: Seq[T]): Unit = {
    begin(all)
    all.flatMap(each => Option(running.get(each))).foreach(_.join())
  }

  /**
   * Whether the action of this item still runs. `StreamingQuery.isActive` turns false before the
   * query's thread has ended.
   */
  def isRunning(one: T): Boolean = running.containsKey(one)

  /** Starts no more actions, and interrupts those that still run after a time in milliseconds. */
  def end(patience: Long): Unit = {
    hasEnded = true
    val deadline = System.nanoTime + MILLISECONDS.toNanos(patience)
    val begun = running.values.asScala.toSeq
    begun.foreach(NANOSECONDS.timedJoin(_, deadline - System.nanoTime))
    begun.foreach(_.interrupt())
  }
}
