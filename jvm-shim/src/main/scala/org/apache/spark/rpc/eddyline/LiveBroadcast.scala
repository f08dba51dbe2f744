package org.apache.spark.rpc.eddyline

import java.util.concurrent.TimeUnit.{MILLISECONDS, NANOSECONDS}

import scala.collection.immutable.HashMap

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.BroadcastVersions.StalenessLimit
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.base.EddylineErrors

/** A broadcast value on an executor that is replaced when the driver has a newer version. */
class LiveBroadcast private[eddyline] (first: LiveBroadcast.Version) {
  @volatile private var current = first
  @volatile private var deadline: Option[LiveBroadcast.Deadline] = None

  /** The changes that have come, of which the first ones may need a later broadcast. */
  private var changes = first.changes
  private var number = first.base
  private var neededBase = first.base

  /** When the driver was asked for the deadline, by `System.nanoTime`. */
  private var askedAt = System.nanoTime()

  /** The numbers of the broadcast and of the last change that the executor has. */
  private[eddyline] def known: (Long, Long) = synchronized(current.base -> number)

  /** Takes what is newer; returns whether lookups see it: else they need its broadcast, too. */
  private[eddyline] def add(newer: BroadcastVersions.Newer): Boolean = synchronized {
    val (base, added, last) = newer
    if (last > number) {
      base.foreach { case (base, _) => if (base > number) neededBase = base }
      changes ++= added.collect { case (at, key, row) if at > number => key -> (at -> row) }
      number = last
      show(current.base, current.value)
    }
    current.base >= neededBase
  }

  /** Fetches a broadcast that has the changes up to `base`, unless the executor has a newer one. */
  private[eddyline] def updateTo(base: Long, broadcast: Broadcast[Any]): Unit =
    if (synchronized(base > current.base)) {
      val value = broadcast.value
      synchronized {
        if (base > current.base) {
          changes = changes.filter { case (_, (at, _)) => at > base }
          number = math.max(number, base)
          show(base, value)
        }
      }
    }

  private def show(base: Long, value: Any): Unit =
    if (base >= neededBase) current = new LiveBroadcast.Version(base, value, changes)

  /**
   * Sets the staleness deadline from a reply of the driver. Ignores a reply to an earlier question
   * than the last one.
   *
   * @param limit None if the value has no MAX STALENESS
   * @param askedAt when the driver was asked, by `System.nanoTime`
   */
  private[eddyline] def setDeadline(limit: Option[StalenessLimit], askedAt: Long): Unit =
    synchronized {
      if (askedAt - this.askedAt >= 0) {
        this.askedAt = askedAt
        deadline = limit.map(new LiveBroadcast.Deadline(_, askedAt))
      }
    }

  /**
   * Returns the newest version, which is the same object until a newer one has been fetched. While
   * it is stale, waits for a newer one for as long as ON STALE says.
   *
   * Errors: EDDYLINE_GLOBAL_TABLE.STALE.
   */
  def newest: LiveBroadcast.Version = {
    if (deadline.exists(_.isOver)) awaitFreshVersion()
    current
  }

  private def awaitFreshVersion(): Unit = {
    val start = System.nanoTime()
    while (deadline.exists(end => end.isOver && System.nanoTime() - start < end.maxWait)) {
      Thread.sleep(LiveBroadcast.POLL_MS)
    }
    deadline.filter(_.isOver).foreach(end => throw end.error)
  }
}

object LiveBroadcast {
  private val POLL_MS = 10L

  /**
   * @param value that of a broadcast
   * @param changes the rows of the keys of lookups that have others than in `value`, or none (null)
   */
  class Version private[eddyline] (
      private[eddyline] val base: Long,
      val value: Any,
      val changes: Map[UnsafeRow, (Long, UnsafeRow)] = HashMap.empty)

  /**
   * Until when a version may be used, by MAX STALENESS.
   *
   * @param askedAt when the driver was asked for the limit, by `System.nanoTime`
   */
  private[eddyline] class Deadline(limit: StalenessLimit, askedAt: Long) {
    private val end = askedAt + MILLISECONDS.toNanos(limit.left)

    /** How long ON STALE lets a lookup wait, in ns. */
    val maxWait: Long = MILLISECONDS.toNanos(limit.maxWait)

    def isOver: Boolean = System.nanoTime() - end > 0

    def error: Throwable = {
      val age = limit.bound + NANOSECONDS.toMillis(System.nanoTime() - end)
      EddylineErrors.runtime(
        "EDDYLINE_GLOBAL_TABLE.STALE", limit.parameters + ("age" -> s"$age ms ago"), Origin())
    }
  }
}
