package org.apache.spark.rpc.eddyline

import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/**
 * Brings followed values to the versions that the driver has told of. Each is fetched on its own,
 * so that one which takes long, or cannot be fetched, delays no other.
 *
 * @param start runs a fetch on another thread
 */
private[eddyline] class BroadcastFetches(start: Runnable => Unit) extends Logging {

  /** The ids of the values that are being fetched. */
  private val running = ConcurrentHashMap.newKeySet[Long]

  /**
   * Fetches what is newer, unless it is being fetched already.
   *
   * @param told what the driver has said of these values to a question that was asked at `asked`
   */
  def apply(values: Map[Long, FollowedValue], told: BroadcastVersions.Reply, asked: Long): Unit = {
    val (newer, limits, unknown) = told
    // what the driver has forgotten is followed no longer, so that its limit stays and runs out
    (values -- newer.keys -- unknown).foreach { case (id, value) =>
      value.bound(limits.get(id), asked)
    }
    newer.foreach { case (id, (number, broadcast)) =>
      if (running.add(id)) start { () =>
        try {
          values(id).advance(number, broadcast)
          values(id).bound(limits.get(id), asked)
        } catch {
          case NonFatal(e) =>
            logWarning(s"Version $number of the broadcast $id could not be fetched; trying again",
              e)
        } finally running.remove(id)
      }
    }
  }
}
