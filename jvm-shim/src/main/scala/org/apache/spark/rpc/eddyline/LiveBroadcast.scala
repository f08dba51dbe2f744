package org.apache.spark.rpc.eddyline

import java.util.concurrent.TimeUnit.{MILLISECONDS, NANOSECONDS}

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.base.EddylineErrors

/** A value of which an executor has the newest broadcast that it knows. */
class LiveBroadcast private[eddyline] (first: LiveBroadcast.Version) {
  @volatile private var known = first
  @volatile private var deadline: Option[LiveBroadcast.Deadline] = None

  /** When the driver was asked for the deadline, by `System.nanoTime`. */
  private var asked = System.nanoTime()

  private[eddyline] def version: LiveBroadcast.Version = known

  /** Makes a version the newest one, unless a newer one is known. */
  private[eddyline] def updateTo(number: Long, broadcast: Broadcast[Any]): Unit =
    if (known.number < number) {
      val next = new LiveBroadcast.Version(number, broadcast.value)
      synchronized {
        if (known.number < number) known = next
      }
    }

  /** Sets what the driver has said to a question at `asked`, unless it has answered a later one. */
  private[eddyline] def bound(told: Option[BroadcastVersions.Limit], asked: Long): Unit =
    synchronized {
      if (asked - this.asked >= 0) {
        this.asked = asked
        deadline = told.map(LiveBroadcast.Deadline.of(_, asked))
      }
    }

  /**
   * The value now: the same object until a newer one has been fetched. Waits while it is stale, for
   * as long as ON STALE says. Error: EDDYLINE_GLOBAL_TABLE.STALE.
   */
  def newest: LiveBroadcast.Version = {
    if (deadline.exists(_.isOver)) awaitFresh()
    known
  }

  private def awaitFresh(): Unit = {
    val start = System.nanoTime()
    while (deadline.exists(end => end.isOver && System.nanoTime() - start < end.patience)) {
      Thread.sleep(LiveBroadcast.POLL_MS)
    }
    deadline.filter(_.isOver).foreach(end => throw end.error)
  }
}

object LiveBroadcast {
  private val POLL_MS = 10L

  class Version private[eddyline] (private[eddyline] val number: Long, val value: Any)

  /**
   * Until when a version may be used, as MAX STALENESS says.
   *
   * @param end by `System.nanoTime`
   * @param bound MAX STALENESS, in ns
   * @param patience the wait of ON STALE, in ns
   * @param parameters those of the error, but for the age
   */
  private[eddyline] class Deadline(
      end: Long, bound: Long, val patience: Long, parameters: Map[String, String]) {

    def isOver: Boolean = System.nanoTime() - end > 0

    def error: Throwable = {
      val age = NANOSECONDS.toMillis(bound + System.nanoTime() - end)
      EddylineErrors.runtime(
        "EDDYLINE_GLOBAL_TABLE.STALE", parameters + ("age" -> s"$age ms ago"), Origin())
    }
  }

  private[eddyline] object Deadline {

    /** Returns what the driver has said to a question that was asked at `asked`. */
    def of(told: BroadcastVersions.Limit, asked: Long): Deadline = {
      val (left, bound, wait, parameters) = told
      new Deadline(asked + MILLISECONDS.toNanos(left), MILLISECONDS.toNanos(bound),
        MILLISECONDS.toNanos(wait), parameters)
    }
  }
}
