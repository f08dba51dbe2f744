package org.apache.spark.rpc.eddyline

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import org.apache.spark.SparkEnv
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc._
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.util.ThreadUtils

/**
 * Keeps the newest version of each live value, on the driver: a broadcast, and what has changed
 * since. A live value is one whose new versions running tasks get: executors ask for what is newer
 * than what they have, see [[LiveBroadcastPoller]]. The driver answers when there is something
 * newer, or after a while.
 *
 * @param use is called with the ids of the values that an executor uses; returns how long their
 *            newest versions may be used, for those that have MAX STALENESS
 */
class BroadcastVersions(use: Iterable[Long] => Map[Long, BroadcastVersions.StalenessLimit]) {
  import BroadcastVersions._

  private val newest = mutable.Map.empty[Long, Newest]
  private val waiting = mutable.Set.empty[Question]
  private var endpoint: Option[Endpoint] = None

  /**
   * Makes a broadcast the newest version of a value.
   *
   * @param number that of the last change in it, if changes are published too; None: the broadcast
   *               is newer than what was published, but may be older than what will be
   * @param hasAllRows whether it is worth fetching for one who has the version by its changes
   * @return whether it is newer than the last version that was published
   */
  def publish(
      id: Long, broadcast: Broadcast[Any], number: Option[Long], hasAllRows: Boolean): Boolean =
    synchronized {
      start()
      val old = newest.get(id)
      val base = number.getOrElse(if (old.isEmpty) 0L else BroadcastVersions.number())
      val isNewer = old.forall(_.number < base)
      if (isNewer || hasAllRows && old.forall(_.base < base)) {
        val later = old.toVector.flatMap(_.changes).filter(_._1 > base)
        newest(id) = Newest(base, broadcast, old.fold(base)(_.number.max(base)), later)
        answer()
      }
      isNewer
    }

  /**
   * Publishes changes of a value, in which a key has at most one row.
   *
   * @param number newer than all that was published
   * @param changes keys of lookups and the rows that they have now; null: none
   */
  def change(id: Long, number: Long, changes: Iterable[(UnsafeRow, UnsafeRow)]): Unit =
    synchronized {
      newest.get(id).filter(_ => changes.nonEmpty).foreach { old =>
        newest(id) = old.changed(number, changes)
        answer()
      }
    }

  /** Returns the newest broadcast of a value, with its number; None if the value is unknown. */
  def of(id: Long): Option[(Long, Broadcast[Any])] =
    synchronized(newest.get(id).map(value => value.base -> value.broadcast))

  /** Forgets a value; tasks keep the broadcast that they have. */
  def close(id: Long): Unit = synchronized(newest.remove(id))

  private def start(): Unit = if (endpoint.isEmpty) {
    val made = new Endpoint(SparkEnv.get.rpcEnv)
    made.rpcEnv.setupEndpoint(BroadcastVersions.NAME, made)
    endpoint = Some(made)
  }

  def stop(): Unit = synchronized {
    newest.clear()
    waiting.foreach(_.answer())
    waiting.clear()
    endpoint.foreach(_.stop())
    endpoint = None
  }

  private def begin(question: Question): Unit = synchronized {
    waiting += question
    answer()
  }

  /** Answers the questions to which there is something newer. */
  private def answer(): Unit = waiting.filter(_.newer.nonEmpty).foreach(end)

  private def end(question: Question): Unit =
    synchronized(if (waiting.remove(question)) question.answer())

  /** @param known the numbers of the broadcast and of the last change that an executor has */
  private class Question(known: Map[Long, (Long, Long)], context: RpcCallContext) {
    def newer: Map[Long, Newer] = for {
      (id, (base, number)) <- known
      value <- newest.get(id) if value.base > base || value.number > number
    } yield id -> value.since(base, number)

    def answer(): Unit = context.reply(
      Reply(newer, use(known.keys), known.keySet.filterNot(newest.contains)).toMessage)

    /** How long it may wait, in ms: not until an executor takes a version for stale. */
    val patience: Long = use(known.keys).values.map(_.left / 4).foldLeft(MAX_WAIT_MS)(_ min _)
  }

  private class Endpoint(override val rpcEnv: RpcEnv) extends ThreadSafeRpcEndpoint {
    private val timer = ThreadUtils.newDaemonSingleThreadScheduledExecutor(NAME)

    override def receiveAndReply(context: RpcCallContext): PartialFunction[Any, Unit] = {
      case known: Map[_, _] =>
        val question = new Question(known.asInstanceOf[Map[Long, (Long, Long)]], context)
        timer.schedule((() => end(question)): Runnable,
          question.patience.max(MIN_WAIT_MS), TimeUnit.MILLISECONDS)
        begin(question)
    }

    override def onStop(): Unit = timer.shutdownNow()
  }
}

object BroadcastVersions {
  private val MIN_WAIT_MS = 100L
  private val MAX_WAIT_MS = 2000L
  private val FEW = 1000
  private val NUMBERS = new AtomicLong

  /** Returns a number for a version or for changes, higher than all before. */
  def number(): Long = NUMBERS.incrementAndGet()

  /** The number of a change, the key of a lookup and its row; null: it has none. */
  private[eddyline] type Change = (Long, UnsafeRow, UnsafeRow)

  /**
   * What is newer than what an executor has.
   *
   * @param base the number of the last change in the newest broadcast, and this; None: it has it
   * @param changes what has changed since the broadcast, or since what the executor has
   * @param number that of the last change
   */
  private[eddyline] type Newer = (Option[(Long, Broadcast[Any])], Seq[Change], Long)

  /**
   * A value on the driver.
   *
   * @param base the number of the broadcast
   * @param number that of the last change
   * @param changes those since the broadcast, in the order of their numbers
   * @param limit the number of changes from which on only the last one of each key is kept
   */
  private case class Newest(
      base: Long,
      broadcast: Broadcast[Any],
      number: Long,
      changes: Vector[Change],
      limit: Int = FEW) {
    def changed(number: Long, added: Iterable[(UnsafeRow, UnsafeRow)]): Newest = {
      val all = changes ++ added.map { case (key, row) => (number, key, row) }
      if (all.length <= limit) copy(number = number, changes = all)
      else {
        val last = all.reverse.distinctBy(_._2).reverse
        copy(number = number, changes = last, limit = 2 * last.length + FEW)
      }
    }

    def since(knownBase: Long, known: Long): Newer = (
      Option.when(base > knownBase)(base -> broadcast),
      changes.reverseIterator.takeWhile(_._1 > known).toSeq.reverse,
      number)
  }

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
   * @param newer what is newer of each value
   * @param limits the limits of the values that have MAX STALENESS
   * @param unknown the ids of values that the driver no longer has
   */
  private[eddyline] case class Reply(
      newer: Map[Long, Newer],
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
      Map[Long, Newer],
      Map[Long, (Long, Long, Long, Map[String, String])],
      Set[Long])

  /** The name of the endpoint at the driver. */
  private[eddyline] val NAME = "eddyline-broadcast-versions"
}
