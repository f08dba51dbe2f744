package io.eddyline.spark.streamingquery

import java.util.concurrent.locks.ReentrantLock

import scala.collection.mutable

import io.eddyline.spark.streamingquery.store.FileName

/**
 * A lock for each name of a streaming query. A statement has it while it changes what the name
 * means, so another one about the same name finds the query as it is afterwards; statements about
 * other names, and those that only read, do not wait.
 */
private[streamingquery] class NameLocks {
  private class Named(var users: Int = 0) { val lock = new ReentrantLock }

  private val locks = mutable.Map.empty[String, Named]

  /** Runs something once nothing else has the lock; a thread may take it several times. */
  def hold[T](name: String)(body: => T): T = using(name) { lock =>
    lock.lockInterruptibly()
    try body
    finally lock.unlock()
  }

  /** Runs something if nothing else has the lock; returns whether it did. */
  def tryHold(name: String)(body: => Unit): Boolean = using(name) { lock =>
    val isFree = lock.tryLock()
    if (isFree) {
      try body
      finally lock.unlock()
    }
    isFree
  }

  private def using[T](name: String)(body: ReentrantLock => T): T = {
    val key = FileName.key(name)
    val named = locks.synchronized {
      val named = locks.getOrElseUpdate(key, new Named)
      named.users += 1
      named
    }
    try body(named.lock)
    finally locks.synchronized {
        named.users -= 1
        if (named.users == 0) locks.remove(key): Unit
      }
  }
}
