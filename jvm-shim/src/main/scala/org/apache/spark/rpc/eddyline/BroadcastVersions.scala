package org.apache.spark.rpc.eddyline

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkEnv
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc._

/**
 * Keeps the newest broadcast of each live value, on the driver. A live value is one whose new
 * versions running tasks get: executors ask for what is newer than what they have, see
 * [[LiveBroadcastPoller]].
 *
 * @param use is called with the ids of the values that an executor uses; returns how long their
 *            newest versions may be used, for those that have MAX STALENESS
 */
class BroadcastVersions(use: Iterable[Long] => Map[Long, BroadcastVersions.StalenessLimit]) {
  private val newest = new ConcurrentHashMap[Long, (Long, Broadcast[Any])]

  @volatile private var endpoint: Option[Endpoint] = None

  /** Makes a broadcast the newest of a value; returns its number, which rises by one. */
  def publish(id: Long, broadcast: Broadcast[Any]): Long = {
    start()
    newest.compute(id, (_, old) => (if (old == null) 0L else old._1 + 1) -> broadcast)._1
  }

  /** Returns the newest broadcast of a value, with its number; None if the value is unknown. */
  def of(id: Long): Option[(Long, Broadcast[Any])] = Option(newest.get(id))

  /** Forgets a value; tasks keep the broadcast that they have. */
  def close(id: Long): Unit = newest.remove(id)

  private def start(): Unit = synchronized {
    if (endpoint.isEmpty) {
      val made = new Endpoint(SparkEnv.get.rpcEnv)
      made.rpcEnv.setupEndpoint(BroadcastVersions.NAME, made)
      endpoint = Some(made)
    }
  }

  def stop(): Unit = synchronized {
    newest.clear()
    endpoint.foreach(_.stop())
    endpoint = None
  }

  private class Endpoint(override val rpcEnv: RpcEnv) extends ThreadSafeRpcEndpoint {
    override def receiveAndReply(context: RpcCallContext): PartialFunction[Any, Unit] = {
      case known: Map[_, _] =>
        val numbers = known.asInstanceOf[Map[Long, Long]]
        val limits = use(numbers.keys)
        val newer = newest.asScala.toMap.filter { case (id, (number, _)) =>
          numbers.get(id).exists(_ < number)
        }
        val unknown = numbers.keySet.filterNot(newest.containsKey(_))
        context.reply(BroadcastVersions.Reply(newer, limits, unknown).toMessage)
    }
  }
}

object BroadcastVersions {

  /**
   * How long the newest version of a value may be used. Times are in ms.
   *
   * @param left for how long it may still be used; negative if it may not be used any more
   * @param bound MAX STALENESS
   * @param maxWait how long ON STALE lets a lookup wait for a newer version
   * @param parameters those of the error STALE, without the age
   */
  case class StalenessLimit(
      left: Long, bound: Long, maxWait: Long, parameters: Map[String, String])

  /**
   * The reply of the driver to an executor.
   *
   * @param newer the number and broadcast of each value that is newer than the executor's
   * @param limits the limits of the values that have MAX STALENESS
   * @param unknown the ids of values that the driver no longer has
   */
  private[eddyline] case class Reply(
      newer: Map[Long, (Long, Broadcast[Any])],
      limits: Map[Long, StalenessLimit],
      unknown: Set[Long]) {

    /** The reply in classes of Spark and Scala: RPC does not know those of `spark.jars`. */
    def toMessage: Message =
      (newer, limits.map { case (id, limit) => id -> StalenessLimit.unapply(limit).get }, unknown)
  }

  private[eddyline] object Reply {
    def of(message: Message): Reply = {
      val (newer, limits, unknown) = message
      Reply(newer, limits.map { case (id, limit) => id -> StalenessLimit.tupled(limit) }, unknown)
    }
  }

  private[eddyline] type Message = (
      Map[Long, (Long, Broadcast[Any])],
      Map[Long, (Long, Long, Long, Map[String, String])],
      Set[Long])

  /** The name of the endpoint at the driver. */
  private[eddyline] val NAME = "eddyline-broadcast-versions"
}
