package org.apache.spark.rpc.eddyline

import java.lang.ref.WeakReference
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.util.RpcUtils

/** A value of which an executor has the newest broadcast that it knows. */
class FollowedValue private[eddyline] (number: Long, first: Any) {
  @volatile private[eddyline] var version: FollowedValue.Version =
    new FollowedValue.Version(number, first)

  /** The value now: the same object until a newer one has been fetched. */
  def newest: FollowedValue.Version = version
}

object FollowedValue {
  class Version private[eddyline] (private[eddyline] val number: Long, val value: Any)
}

/**
 * Keeps the values that tasks of this JVM follow at their newest version. One thread asks the
 * driver several times a second, and fetches what is newer, so that no task waits for it. The
 * thread ends once no task follows a value.
 */
object BroadcastFollower extends Logging {
  private val INTERVAL_MS = 100L

  private val followed = new ConcurrentHashMap[Long, WeakReference[FollowedValue]]
  private var thread: Option[Thread] = None

  /**
   * Returns the value with an id; the same for all tasks.
   *
   * @param number the number of a broadcast of it, from which on it is followed
   */
  def follow(id: Long, number: Long, broadcast: Broadcast[Any]): FollowedValue = {
    def known(reference: WeakReference[FollowedValue]) = Option(reference).map(_.get)
    val reference = followed.compute(id,
      (_, old) =>
        if (known(old).exists(_ != null)) old
        else new WeakReference(new FollowedValue(number, broadcast.value)))
    Option(reference.get).fold(follow(id, number, broadcast)) { value =>
      start()
      value
    }
  }

  private def start(): Unit = synchronized {
    if (!thread.exists(_.isAlive)) {
      val made = new Thread(() => poll(), "eddyline-broadcast-follower")
      made.setDaemon(true)
      // of the task, which knows the classes of spark.jars
      made.setContextClassLoader(Thread.currentThread.getContextClassLoader)
      thread = Some(made)
      made.start()
    }
  }

  private def poll(): Unit = while (isFollowing) {
    try update()
    catch {
      case NonFatal(e) => logWarning("The driver did not tell the newest versions of broadcasts", e)
    }
    Thread.sleep(INTERVAL_MS)
  }

  /** Whether a task still follows a value; if none does, the thread ends. */
  private def isFollowing: Boolean = synchronized {
    followed.values.removeIf(_.get == null)
    if (followed.isEmpty || SparkEnv.get == null) thread = None
    thread.isDefined
  }

  private def update(): Unit = {
    val env = SparkEnv.get
    val values = followed.asScala.toMap.flatMap { case (id, reference) =>
      Option(reference.get).map(id -> _)
    }
    val known = values.map { case (id, value) => id -> value.version.number }
    val newer = RpcUtils.makeDriverRef(BroadcastVersions.NAME, env.conf, env.rpcEnv)
      .askSync[Map[Long, (Long, Broadcast[Any])]](known)
    newer.foreach { case (id, (number, broadcast)) =>
      values(id).version = new FollowedValue.Version(number, broadcast.value)
    }
  }
}
