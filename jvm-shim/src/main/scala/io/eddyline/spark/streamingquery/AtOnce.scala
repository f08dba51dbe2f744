package io.eddyline.spark.streamingquery

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit.{MILLISECONDS, NANOSECONDS}

import scala.jdk.CollectionConverters._

/**
 * Does something with each of several things, on a daemon thread of its own, so that one that hangs
 * keeps no other: a thread of a query may ignore that it is interrupted.
 */
private[streamingquery] class AtOnce[T](name: T => String)(act: T => Unit) {
  private val running = new ConcurrentHashMap[T, Thread]
  @volatile private var hasEnded = false

  /** Begins with those that are not begun yet, and returns them; waits for nothing. */
  def begin(all: Seq[T]): Seq[T] = if (hasEnded) Nil else all.filter(beginOne)

  /** Begins with one; returns false if it is begun already. */
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

  /** Does it with all, and waits until that is done. */
  def await(all: Seq[T]): Unit = {
    begin(all)
    all.flatMap(each => Option(running.get(each))).foreach(_.join())
  }

  /** Whether one is begun and not done; Spark says of a query that it has ended before it has. */
  def isRunning(one: T): Boolean = running.containsKey(one)

  /** Begins nothing more, and interrupts what is not done after a time in milliseconds. */
  def end(patience: Long): Unit = {
    hasEnded = true
    val deadline = System.nanoTime + MILLISECONDS.toNanos(patience)
    val begun = running.values.asScala.toSeq
    begun.foreach(NANOSECONDS.timedJoin(_, deadline - System.nanoTime))
    begun.foreach(_.interrupt())
  }
}
