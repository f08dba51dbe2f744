package io.eddyline.spark.ui

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent

import io.eddyline.spark.emit.aggregate.EmitMetrics

/**
 * The state of a global table after its last refresh.
 *
 * @param refreshes number of versions that were made or loaded
 * @param failures number of refreshes that failed
 * @param refreshed when it got its version, in ms since the epoch; None: it has none
 */
case class GlobalTableStatus(
    last: GlobalTableRefreshed, refreshes: Long, failures: Long, refreshed: Option[Long])

/**
 * A streaming query after its last micro-batch.
 *
 * @param last the progress of this micro-batch
 * @param inputRows rows read by all micro-batches
 * @param emitted rows that EMIT ON CHANGE has emitted
 * @param dropped idempotent updates that it has dropped
 */
case class StreamStatus(
    last: StreamingQueryProgress, batches: Long, inputRows: Long, emitted: Long, dropped: Long) {

  /** How many records the partition that is most ahead is ahead; None if no topic is read. */
  def behind: Option[Long] = last.sources.toSeq.flatMap(source => Option(source.metrics))
    .flatMap(_.asScala.get("maxOffsetsBehindLatest")).map(_.toLong).maxOption
}

/**
 * Keeps what the tab shows, from the events of the application. The page is in
 * `org.apache.spark.ui.eddyline`, since Spark's classes for pages are private to Spark.
 *
 * @param retained how many refreshes, queries and runs of streaming queries are kept, each; the
 *                 oldest are dropped
 */
class StatusListener(retained: Int) extends SparkListener {
  private val tables = mutable.TreeMap.empty[String, GlobalTableStatus]
  private val streamsByRun = mutable.Map.empty[String, StreamStatus]
  private val lastRefreshes = mutable.Queue.empty[GlobalTableRefreshed]
  private val lastQueries = mutable.Queue.empty[ClausesReported]

  /** The global tables that the application has refreshed, by name. */
  def globalTables: Seq[GlobalTableStatus] = synchronized(tables.values.toSeq)

  /** The refreshes that are kept, the newest first. */
  def refreshes: Seq[GlobalTableRefreshed] = synchronized(lastRefreshes.reverseIterator.toSeq)

  /** The queries with clauses that are kept, the newest first. */
  def queries: Seq[ClausesReported] = synchronized(lastQueries.reverseIterator.toSeq)

  /** The runs of streaming queries, those with the latest micro-batch first. */
  def streams: Seq[StreamStatus] =
    synchronized(streamsByRun.values.toSeq).sortBy(_.last.timestamp).reverse

  override def onOtherEvent(event: SparkListenerEvent): Unit = synchronized {
    event match {
      case refreshed: GlobalTableRefreshed =>
        tables(refreshed.table) = statusAfter(tables.get(refreshed.table), refreshed)
        keep(lastRefreshes, refreshed)
      case reported: ClausesReported => keep(lastQueries, reported)
      case progress: QueryProgressEvent => addProgress(progress.progress)
      case _ =>
    }
  }

  private def statusAfter(
      before: Option[GlobalTableStatus], event: GlobalTableRefreshed): GlobalTableStatus = {
    val hasFailed = event.error.isDefined
    val hasNewVersion = !hasFailed && before.forall(_.last.version != event.version)
    GlobalTableStatus(
      event,
      before.fold(0L)(_.refreshes) + (if (hasNewVersion) 1 else 0),
      before.fold(0L)(_.failures) + (if (hasFailed) 1 else 0),
      if (hasNewVersion) Some(event.started + event.duration) else before.flatMap(_.refreshed))
  }

  private def addProgress(progress: StreamingQueryProgress): Unit = {
    val run = progress.runId.toString
    val before = streamsByRun.getOrElse(run, StreamStatus(progress, 0, 0, 0, 0))
    streamsByRun(run) = StreamStatus(
      progress,
      before.batches + 1,
      before.inputRows + progress.numInputRows,
      before.emitted + EmitMetrics.of(progress, EmitMetrics.EMITTED).sum,
      before.dropped + EmitMetrics.of(progress, EmitMetrics.DROPPED).sum)
    if (streamsByRun.size > retained) streamsByRun -= streamsByRun.minBy(_._2.last.timestamp)._1
  }

  private def keep[T](kept: mutable.Queue[T], event: T): Unit = {
    kept.enqueue(event)
    if (kept.size > retained) kept.dequeue()
  }
}
