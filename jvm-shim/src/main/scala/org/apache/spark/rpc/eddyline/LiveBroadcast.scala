package org.apache.spark.rpc.eddyline

import java.util.concurrent.TimeUnit.{MILLISECONDS, NANOSECONDS}

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.BroadcastVersions.StalenessLimit
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.base.EddylineErrors

/** A broadcast value on an executor that is replaced when the driver has a newer version. */
class LiveBroadcast private[eddyline] (first: LiveBroadcast.Version) {
  @volatile private var current = first
  @volatile private var deadline: Option[LiveBroadcast.Deadline] = None

  /** When the driver was asked for the deadline, by `System.nanoTime`. */
  private var askedAt = System.nanoTime()

  /** The newest version that the executor has, also if it is stale. */
  private[eddyline] def version: LiveBroadcast.Version = current

  /** Fetches a version and makes it the newest one, unless the executor has a newer one. */
  private[eddyline] def updateTo(number: Long, broadcast: Broadcast[Any]): Unit =
    if (current.number < number) {
      val next = new LiveBroadcast.Version(number, broadcast.value)
      synchronized {
        if (current.number < number) current = next
      }
    }

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

  /** @param number rises with each version of a value */
  class Version private[eddyline] (private[eddyline] val number: Long, val value: Any)

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
