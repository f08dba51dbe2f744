package org.apache.spark.rpc.eddyline

import java.lang.ref.WeakReference
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.rpc.RpcEndpointRef
import org.apache.spark.util.RpcUtils

/**
 * Keeps the values that tasks of this JVM follow at their newest version. One thread asks the
 * driver several times a second; what is newer is fetched on other threads, so that neither a task
 * nor another value waits for it. The thread ends once no task follows a value.
 */
object LiveBroadcastPoller extends Logging {
  private val INTERVAL_MS = 100L

  private val fetches = new LiveBroadcastFetches(start("eddyline-broadcast-fetch", _))
  private val followed = mutable.Map.empty[Long, WeakReference[LiveBroadcast]]
  private var thread: Option[Thread] = None
  private var driver: Option[(SparkEnv, RpcEndpointRef)] = None

  /**
   * Returns the value with an id; the same for all tasks.
   *
   * @param number the number of a broadcast of it, from which on it is followed
   */
  def follow(id: Long, number: Long, broadcast: Broadcast[Any]): LiveBroadcast = {
    val value = alive.getOrElse(id, {
        // fetched without the lock, for which all other values would wait
        val made = new LiveBroadcast(new LiveBroadcast.Version(number, broadcast.value))
        synchronized(alive.getOrElse(id, {
            followed(id) = new WeakReference(made)
            made
          }))
      })
    value.updateTo(number, broadcast)
    begin()
    value
  }

  /** The values that tasks follow. */
  private def alive: Map[Long, LiveBroadcast] = synchronized {
    val values = followed.toMap.flatMap { case (id, value) => Option(value.get).map(id -> _) }
    followed.filterInPlace((id, _) => values.contains(id))
    values
  }

  private def begin(): Unit = synchronized {
    if (!thread.exists(_.isAlive)) {
      thread = Some(start("eddyline-broadcast-follower", () => while (isNeeded) poll()))
    }
  }

  private def start(name: String, work: Runnable): Thread = {
    val made = new Thread(work, name)
    made.setDaemon(true)
    // of the task, which knows the classes of spark.jars
    made.setContextClassLoader(Thread.currentThread.getContextClassLoader)
    made.start()
    made
  }

  /** Whether a task still follows a value; if none does, the thread ends. */
  private def isNeeded: Boolean = synchronized {
    if (alive.isEmpty || SparkEnv.get == null) thread = None
    thread.isDefined
  }

  private def poll(): Unit = {
    try update(alive)
    catch {
      case NonFatal(e) => logWarning("The driver did not tell the newest versions of broadcasts", e)
    }
    Thread.sleep(INTERVAL_MS)
  }

  /** Returns the driver of this application, which is found once. */
  private def driverOf(env: SparkEnv): RpcEndpointRef =
    driver.collect { case (of, found) if of eq env => found }.getOrElse {
      val found = RpcUtils.makeDriverRef(BroadcastVersions.NAME, env.conf, env.rpcEnv)
      driver = Some(env -> found)
      found
    }

  private def update(values: Map[Long, LiveBroadcast]): Unit = {
    val asked = System.nanoTime()
    val known = values.map { case (id, value) => id -> value.version.number }
    fetches(values, driverOf(SparkEnv.get).askSync[BroadcastVersions.Reply](known), asked)
  }
}

/**
 * Brings followed values to the versions that the driver has told of. Each is fetched on its own,
 * so that one which takes long, or cannot be fetched, delays no other.
 *
 * @param start runs a fetch on another thread
 */
private[eddyline] class LiveBroadcastFetches(start: Runnable => Unit) extends Logging {

  /** The ids of the values that are being fetched. */
  private val running = ConcurrentHashMap.newKeySet[Long]

  /**
   * Fetches what is newer, unless it is being fetched already.
   *
   * @param told what the driver has said of these values to a question that was asked at `asked`
   */
  def apply(values: Map[Long, LiveBroadcast], told: BroadcastVersions.Reply, asked: Long): Unit = {
    val (newer, limits, unknown) = told
    // what the driver has forgotten is followed no longer, so that its limit stays and runs out
    (values -- newer.keys -- unknown).foreach { case (id, value) =>
      value.bound(limits.get(id), asked)
    }
    newer.foreach { case (id, (number, broadcast)) =>
      if (running.add(id)) start { () =>
        try {
          values(id).updateTo(number, broadcast)
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
