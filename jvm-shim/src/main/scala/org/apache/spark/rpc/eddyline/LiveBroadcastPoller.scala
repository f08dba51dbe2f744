package org.apache.spark.rpc.eddyline

import java.lang.ref.WeakReference

import scala.collection.concurrent.TrieMap
import scala.collection.mutable
import scala.concurrent.ExecutionContext.parasitic
import scala.concurrent.Future
import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.rpc.RpcEndpointRef
import org.apache.spark.util.RpcUtils

/**
 * Keeps the live broadcasts of the tasks of this JVM at their newest versions. One thread asks the
 * driver for newer versions again and again; the driver answers once there are some. Other threads
 * fetch broadcasts, so that neither a task nor another value waits for them. The thread ends once
 * no task uses a live broadcast.
 */
object LiveBroadcastPoller extends Logging {
  private val RETRY_MS = 100L

  private val fetches = new LiveBroadcastFetches(start("eddyline-broadcast-fetch", _))
  private val broadcasts = mutable.Map.empty[Long, WeakReference[LiveBroadcast]]
  private var thread: Option[Thread] = None
  private var driver: Option[(SparkEnv, RpcEndpointRef)] = None

  /** Whether a broadcast has come that the driver was not asked for yet. */
  private var hasNew = false

  /**
   * Returns the live broadcast with an id, the same for all tasks, and keeps it up to date.
   *
   * @param number the number of `broadcast`, the version to begin with
   */
  def get(id: Long, number: Long, broadcast: Broadcast[Any]): LiveBroadcast = {
    val value = alive.getOrElse(id, {
        // fetched without the lock, for which all other values would wait
        val made = new LiveBroadcast(new LiveBroadcast.Version(number, broadcast.value))
        synchronized(alive.getOrElse(id, {
            broadcasts(id) = new WeakReference(made)
            hasNew = true
            notifyAll()
            made
          }))
      })
    value.updateTo(number, broadcast)
    startPolling()
    value
  }

  /** The live broadcasts that tasks use, by id. */
  private def alive: Map[Long, LiveBroadcast] = synchronized {
    val values = broadcasts.toMap.flatMap { case (id, value) => Option(value.get).map(id -> _) }
    broadcasts.filterInPlace((id, _) => values.contains(id))
    values
  }

  private def startPolling(): Unit = synchronized {
    if (!thread.exists(_.isAlive)) {
      thread = Some(start("eddyline-broadcast-poll", () => while (isNeeded) poll()))
    }
  }

  private def start(name: String, work: Runnable): Thread = {
    val made = new Thread(work, name)
    made.setDaemon(true)
    // the loader of the task knows the classes of spark.jars
    made.setContextClassLoader(Thread.currentThread.getContextClassLoader)
    made.start()
    made
  }

  /** Whether a task still uses a live broadcast; if none does, the thread ends. */
  private def isNeeded: Boolean = synchronized {
    if (alive.isEmpty || SparkEnv.get == null) thread = None
    thread.isDefined
  }

  private def poll(): Unit =
    try {
      val answered = ask(synchronized {
        hasNew = false
        alive
      })
      answered.onComplete(_ => synchronized(notifyAll()))(parasitic)
      synchronized(while (!answered.isCompleted && !hasNew) wait())
      answered.value.foreach(_.get)
    } catch {
      case NonFatal(e) =>
        logWarning("The driver did not tell the newest versions of broadcasts", e)
        Thread.sleep(RETRY_MS)
    }

  /** Returns the endpoint at the driver of this application. */
  private def driverOf(env: SparkEnv): RpcEndpointRef =
    driver.collect { case (of, found) if of eq env => found }.getOrElse {
      val found = RpcUtils.makeDriverRef(BroadcastVersions.NAME, env.conf, env.rpcEnv)
      driver = Some(env -> found)
      found
    }

  private def ask(values: Map[Long, LiveBroadcast]): Future[Unit] = {
    val askedAt = System.nanoTime()
    val known = values.map { case (id, value) => id -> fetches.known(id, value) }
    driverOf(SparkEnv.get).ask[BroadcastVersions.Message](known).map { message =>
      fetches.start(values, BroadcastVersions.Reply.of(message), askedAt)
    }(parasitic)
  }
}

/**
 * Fetches newer versions of live broadcasts, each on its own thread, so that a version which takes
 * long, or cannot be fetched, delays no other.
 *
 * @param run runs a fetch on another thread
 */
private[eddyline] class LiveBroadcastFetches(run: Runnable => Unit) extends Logging {
  import LiveBroadcastFetches._

  /** The broadcasts that are being fetched, by the id of the value. */
  private val running = TrieMap.empty[Long, Long]

  /** The numbers of the broadcast and of the last change that a value has, or will have soon. */
  def known(id: Long, value: LiveBroadcast): (Long, Long) = {
    val (base, number) = value.known
    (math.max(base, running.getOrElse(id, base)), number)
  }

  /**
   * Takes what is newer, and starts to fetch each newer broadcast, unless one of the value is being
   * fetched.
   *
   * @param reply the reply to a question about the values
   * @param askedAt when the driver was asked, by `System.nanoTime`
   */
  def start(
      values: Map[Long, LiveBroadcast], reply: BroadcastVersions.Reply, askedAt: Long): Unit = {
    val behind = reply.newer.filterNot { case (id, newer) => values(id).add(newer) }.keySet
    // the driver no longer has the unknown ones; their last deadline stays in force
    (values -- behind -- reply.unknown).foreach { case (id, value) =>
      value.setDeadline(reply.limits.get(id), askedAt)
    }
    for {
      (id, (Some((base, broadcast)), _, _)) <- reply.newer
      if running.putIfAbsent(id, base).isEmpty
    } run { () =>
      try {
        values(id).updateTo(base, broadcast)
        values(id).setDeadline(reply.limits.get(id), askedAt)
      } catch {
        case NonFatal(e) =>
          logWarning(s"Version $base of the broadcast $id could not be fetched; trying again", e)
          Thread.sleep(RETRY_MS)
      } finally running.remove(id)
    }
  }
}

private object LiveBroadcastFetches {
  private val RETRY_MS = 100L
}
