package org.apache.spark.sql.execution.streaming.eddyline

import java.util.{Properties, UUID}
import java.util.concurrent.TimeUnit.MILLISECONDS

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.streaming.{
  AvailableNowTrigger, OneTimeTrigger, RealTimeTrigger
}
import org.apache.spark.sql.execution.streaming.continuous.ContinuousExecution
import org.apache.spark.sql.execution.streaming.runtime._
import org.apache.spark.sql.streaming.StreamingQuery

/**
 * The micro-batch that a thread is processing.
 *
 * @param run id of the streaming query's run
 * @param checkpoint root folder of the checkpoint
 * @param batch number of the micro-batch
 * @param isNew whether this run has chosen the offsets; false if an earlier run has logged them
 */
case class MicroBatch(run: UUID, checkpoint: String, batch: Long, isNew: Boolean)

/**
 * A stream of a query.
 *
 * @param checkpoint root folder of the checkpoint
 * @param committed the JSON of the end offset of the committed micro-batches; None if there are
 *                  none
 */
case class ReadStream(
    scan: Scan, stream: SparkDataStream, checkpoint: String, committed: Option[String])

object MicroBatch {

  /** The name of a duration that Spark measures for new micro-batches only, before planning. */
  private val WRITING_OFFSETS = "walCommit"

  /** The name of the duration of planning, known once a micro-batch is planned. */
  private val PLANNING = "queryPlanning"
  private val POLL_MS = 10L

  /** How long a statement waits until a query has a plan. */
  private val PLAN_LIMIT_MS = 10000L

  /**
   * Returns the micro-batch by the thread's local properties, which are set in foreachBatch too;
   * None if they have no query. If they have the number of an earlier micro-batch, perhaps of an
   * earlier run, this is the query's current one.
   */
  def current(session: SparkSession): Option[MicroBatch] =
    for {
      query <- query(session)
      batch <- Option(session.sparkContext.getLocalProperty(MicroBatchExecution.BATCH_ID_KEY))
      context = query.getLatestExecutionContext()
    } yield MicroBatch(
      query.runId,
      query.resolvedCheckpointRoot,
      batch.toLong.max(context.batchId),
      context.getDuration(WRITING_OFFSETS).isDefined)

  /**
   * The analyzed plan of the thread's query, by which it was started; None if there is no query.
   */
  def plan(session: SparkSession): Option[LogicalPlan] = query(session).map(_.logicalPlan)

  /** The streams of the thread's query, in their order in the plan. */
  def streams(session: SparkSession): Seq[ReadStream] = for {
    query <- query(session).toSeq
    committed = query.getLatestExecutionContext().startOffsets
    read <- query.logicalPlan.collect { case read: StreamingDataSourceV2ScanRelation => read }
  } yield {
    val offset = committed.get(read.stream).map(_.json)
    ReadStream(read.scan, read.stream, query.resolvedCheckpointRoot, offset)
  }

  /** The id of the run of the thread's query; None if there is no query. */
  def run(session: SparkSession): Option[UUID] = query(session).map(_.runId)

  /** Whether the thread's query has a trigger that ends it when the available records are read. */
  def hasFiniteTrigger(session: SparkSession): Boolean = query(session).exists(_.trigger match {
    case OneTimeTrigger | AvailableNowTrigger => true
    case _ => false
  })

  /** Whether the thread's query runs in real-time mode. */
  def isRealTime(session: SparkSession): Boolean =
    query(session).exists(_.trigger.isInstanceOf[RealTimeTrigger])

  /** Whether the thread's query has a continuous trigger, so that it has no micro-batches. */
  def isContinuous(session: SparkSession): Boolean =
    query(session).exists(_.isInstanceOf[ContinuousExecution])

  /**
   * Returns the micro-batch that a query has planned last; None before the first, and if planning
   * takes longer than the limit, for instance because it waits for a global table.
   *
   * The first thread that asks for a plan makes it. That must be the query's own thread, whose
   * properties have the number of the micro-batch, so this waits until the plan is made.
   */
  def lastExecution(query: StreamingQuery, limitMs: Long): Option[IncrementalExecution] =
    query match {
      case wrapped: StreamingQueryWrapper =>
        lastPlanned(wrapped, System.nanoTime + MILLISECONDS.toNanos(limitMs))
      case _ => None
    }

  /** Returns the same with the limit of a statement. */
  def lastExecution(query: StreamingQuery): Option[IncrementalExecution] =
    lastExecution(query, PLAN_LIMIT_MS)

  @tailrec private def lastPlanned(
      query: StreamingQueryWrapper, until: Long): Option[IncrementalExecution] = {
    val execution = query.streamingQuery
    Option(execution.lastExecution) match {
      case Some(last) if isPlanned(execution, last.currentBatchId) => Some(last)
      case Some(_) if query.isActive && System.nanoTime - until < 0 =>
        Thread.sleep(POLL_MS)
        lastPlanned(query, until)
      case _ => None
    }
  }

  private def isPlanned(query: StreamExecution, batch: Long): Boolean = {
    val context = query.getLatestExecutionContext()
    query.isInstanceOf[ContinuousExecution] || context.batchId != batch ||
    context.getDuration(PLANNING).isDefined
  }

  /** The id of the thread's streaming query, which stays the same after a restart. */
  def queryId(session: SparkSession): Option[String] =
    Option(session.sparkContext.getLocalProperty(StreamExecution.QUERY_ID_KEY))

  /** The id of the streaming query to which a job with these properties belongs. */
  def queryOf(properties: Properties): Option[String] =
    Option(properties).flatMap(found => Option(found.getProperty(StreamExecution.QUERY_ID_KEY)))

  private def query(session: SparkSession): Option[StreamExecution] =
    for {
      id <- queryId(session)
      query <- Option(session.sharedState.activeStreamingQueries.get(UUID.fromString(id)))
    } yield query

  /** The ids of the runs of all streaming queries that have not ended. */
  def activeRuns(session: SparkSession): Set[UUID] =
    session.sharedState.activeStreamingQueries.values.asScala.map(_.runId).toSet
}
