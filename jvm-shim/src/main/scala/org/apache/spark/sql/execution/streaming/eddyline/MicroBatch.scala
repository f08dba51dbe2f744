package org.apache.spark.sql.execution.streaming.eddyline

import java.util.UUID

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.continuous.ContinuousExecution
import org.apache.spark.sql.execution.streaming.runtime.{MicroBatchExecution, StreamExecution}

/**
 * The micro-batch that a thread works for.
 *
 * @param run of the streaming query
 * @param checkpoint its root
 * @param isNew whether this run chose its offsets; else they were in the offset log before
 */
case class MicroBatch(run: UUID, checkpoint: String, batch: Long, isNew: Boolean)

object MicroBatch {

  /** What Spark measures of a micro-batch that is new, before it plans it. */
  private val WRITING_OFFSETS = "walCommit"

  /** As Spark notes it on the thread, which foreachBatch and its queries inherit. */
  def current(session: SparkSession): Option[MicroBatch] =
    for {
      query <- query(session)
      batch <- Option(session.sparkContext.getLocalProperty(MicroBatchExecution.BATCH_ID_KEY))
    } yield MicroBatch(
      query.runId,
      query.resolvedCheckpointRoot,
      batch.toLong,
      query.getLatestExecutionContext().getDuration(WRITING_OFFSETS).isDefined)

  /** Whether one plan serves the whole run of the thread: there are no micro-batches. */
  def isContinuous(session: SparkSession): Boolean =
    query(session).exists(_.isInstanceOf[ContinuousExecution])

  private def query(session: SparkSession): Option[StreamExecution] =
    for {
      id <- Option(session.sparkContext.getLocalProperty(StreamExecution.QUERY_ID_KEY))
      query <- Option(session.sharedState.activeStreamingQueries.get(UUID.fromString(id)))
    } yield query

  /** The runs that have not ended. */
  def activeRuns(session: SparkSession): Set[UUID] =
    session.sharedState.activeStreamingQueries.values.asScala.map(_.runId).toSet
}
