package io.eddyline.spark.streamingquery

import java.util.concurrent.locks.ReentrantLock

import com.google.common.cache.CacheBuilder

import io.eddyline.spark.streamingquery.store.FileName

/**
 * A lock for each name of a streaming query. A statement has it while it changes what the name
 * means, so another one about the same name finds the query as it is afterwards; statements about
 * other names, and those that only read, do not wait. A lock exists as long as somebody has it.
 */
private[streamingquery] class NameLocks {
  private val locks = CacheBuilder.newBuilder().weakValues().build[String, ReentrantLock]()

  /** Runs something once nothing else has the lock; a thread may take it several times. */
  def hold[T](name: String)(body: => T): T = {
    val lock = lockOf(name)
    lock.lockInterruptibly()
    try body
    finally lock.unlock()
  }

  /** Runs something if nothing else has the lock; returns whether it did. */
  def tryHold(name: String)(body: => Unit): Boolean = {
    val lock = lockOf(name)
    val isFree = lock.tryLock()
    if (isFree) {
      try body
      finally lock.unlock()
    }
    isFree
  }

  /** Whether nothing has the lock at the moment. */
  def isFree(name: String): Boolean = !lockOf(name).isLocked

  private def lockOf(name: String): ReentrantLock =
    locks.get(FileName.key(name), () => new ReentrantLock)
}
