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
 * @param inputRows rows read by all micro-batches
 * @param emitted rows that EMIT ON CHANGE has emitted
 * @param dropped idempotent updates that it has dropped
 * @param stateRows rows in the state stores
 * @param stateBytes memory of the state stores on the executors
 * @param behind how many records the topics were ahead after the last micro-batch; None if it reads
 *               no topic
 * @param duration how long the last micro-batch took, in ms
 * @param time when the last micro-batch began, as Spark writes it
 */
case class StreamStatus(
    runId: String,
    name: Option[String],
    batches: Long,
    inputRows: Long,
    emitted: Long,
    dropped: Long,
    stateRows: Long,
    stateBytes: Long,
    behind: Option[Long],
    duration: Long,
    time: String)

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
  def streams: Seq[StreamStatus] = synchronized(streamsByRun.values.toSeq).sortBy(_.time).reverse

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
    val before = streamsByRun.get(run)
    val operators = progress.stateOperators.toSeq
    streamsByRun(run) = StreamStatus(
      run,
      Option(progress.name),
      before.fold(0L)(_.batches) + 1,
      before.fold(0L)(_.inputRows) + progress.numInputRows,
      before.fold(0L)(_.emitted) + EmitMetrics.of(progress, EmitMetrics.EMITTED).sum,
      before.fold(0L)(_.dropped) + EmitMetrics.of(progress, EmitMetrics.DROPPED).sum,
      operators.map(_.numRowsTotal).sum,
      operators.map(_.memoryUsedBytes).sum,
      // of Spark's Kafka source: how many records the partition that is most ahead is ahead
      progress.sources.toSeq.flatMap(source => Option(source.metrics))
        .flatMap(_.asScala.get("maxOffsetsBehindLatest")).map(_.toLong).maxOption,
      progress.batchDuration,
      progress.timestamp)
    if (streamsByRun.size > retained) streamsByRun -= streamsByRun.minBy(_._2.time)._1
  }

  private def keep[T](kept: mutable.Queue[T], event: T): Unit = {
    kept.enqueue(event)
    if (kept.size > retained) kept.dequeue()
  }
}
