package org.apache.spark.rpc.eddyline

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkEnv
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc._

/**
 * The newest broadcast of each value that running tasks follow, at the driver. Executors ask for
 * what is newer than what they have; see [[LiveBroadcastPoller]].
 *
 * Messages hold classes of Spark and Scala only, since RPC does not know those of `spark.jars`.
 *
 * @param use is told the ids of the values that an executor follows, and returns how long their
 *            newest versions may be used
 */
class BroadcastVersions(use: Iterable[Long] => Map[Long, BroadcastVersions.Limit]) {
  private val newest = new ConcurrentHashMap[Long, (Long, Broadcast[Any])]

  @volatile private var endpoint: Option[Endpoint] = None

  /** Makes a broadcast the newest of a value; returns its number, which rises by one. */
  def publish(id: Long, broadcast: Broadcast[Any]): Long = {
    start()
    newest.compute(id, (_, old) => (if (old == null) 0L else old._1 + 1) -> broadcast)._1
  }

  /** The newest broadcast of a value, with its number. */
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
        context.reply((newer, limits, unknown): BroadcastVersions.Reply)
    }
  }
}

object BroadcastVersions {

  /**
   * MAX STALENESS of a value: ms for which its newest version may still be used, the bound, and the
   * wait of ON STALE, in ms, and the parameters of the error but for the age.
   */
  type Limit = (Long, Long, Long, Map[String, String])

  /** What is newer than an executor has, the limits of what it follows, and what is unknown. */
  private[eddyline] type Reply = (Map[Long, (Long, Broadcast[Any])], Map[Long, Limit], Set[Long])

  /** The name of the endpoint at the driver. */
  private[eddyline] val NAME = "eddyline-broadcast-versions"
}
