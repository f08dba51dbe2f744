package io.eddyline.spark.ui

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.util.kvstore.KVStore

import io.eddyline.spark.emit.aggregate.EmitMetrics

/**
 * Writes the entities of the tab, from the events of a running application or of an event log.
 * Spark calls a listener from one thread.
 *
 * @param retained number of refreshes, of queries and of runs of streaming queries that are kept;
 *                 the oldest go first
 */
class StatusListener(store: KVStore, retained: Int) extends SparkListener {
  private val tables = mutable.Map.empty[String, GlobalTableEntity]
  private val streams = mutable.Map.empty[String, StreamEntity]
  private var refreshes = 0L

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case refreshed: GlobalTableRefreshed => add(refreshed)
    case reported: ClausesReported =>
      store.write(new ClausesEntity(reported.executionId, reported.time, reported.clauses))
      trim(classOf[ClausesEntity])(_.executionId)
    case progress: QueryProgressEvent => add(progress.progress)
    case _ =>
  }

  private def add(event: GlobalTableRefreshed): Unit = {
    val before = tables.get(event.table)
    val failed = if (event.error.isDefined) 1 else 0
    val made = if (event.error.isEmpty && before.forall(_.version != event.version)) 1 else 0
    val now = new GlobalTableEntity(
      event.table,
      event.version,
      event.rows,
      event.bytes,
      before.fold(0L)(_.refreshes) + made,
      before.fold(0L)(_.failures) + failed,
      if (made == 1) event.started + event.duration else before.fold(0L)(_.refreshed),
      event.error)
    tables(event.table) = now
    store.write(now)
    refreshes += 1
    store.write(new RefreshEntity(refreshes, event))
    trim(classOf[RefreshEntity])(_.id)
  }

  private def add(progress: StreamingQueryProgress): Unit = {
    val run = progress.runId.toString
    val before = streams.get(run)
    val operators = progress.stateOperators.toSeq
    val now = new StreamEntity(
      run,
      Option(progress.name),
      before.fold(0L)(_.batches) + 1,
      before.fold(0L)(_.inputRows) + progress.numInputRows,
      before.fold(0L)(_.emitted) + EmitMetrics.of(progress, EmitMetrics.EMITTED).sum,
      before.fold(0L)(_.dropped) + EmitMetrics.of(progress, EmitMetrics.DROPPED).sum,
      operators.map(_.numRowsTotal).sum,
      operators.map(_.memoryUsedBytes).sum,
      progress.sources.toSeq.flatMap(source =>
        Option(source.metrics).flatMap(metrics =>
          metrics.asScala.get(StatusListener.BEHIND))).map(_.toLong).maxOption,
      progress.batchDuration,
      progress.timestamp)
    streams(run) = now
    store.write(now)
    if (streams.size > retained) {
      val (oldest, _) = streams.minBy(_._2.time)
      streams -= oldest
      store.delete(classOf[StreamEntity], oldest)
    }
  }

  /** Deletes the oldest entities of a kind beyond [[retained]]. */
  private def trim[T](kind: Class[T])(key: T => Any): Unit = {
    val surplus = store.count(kind) - retained
    if (surplus > 0) {
      store.view(kind).max(surplus).asScala.toSeq.foreach(old => store.delete(kind, key(old)))
    }
  }
}

private object StatusListener {

  /** A metric of Spark's Kafka source: by how many records a partition is ahead, at most. */
  val BEHIND = "maxOffsetsBehindLatest"
}
