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
 * @param isContinuous whether one plan serves the whole run, and there are no micro-batches
 */
case class MicroBatch(run: UUID, checkpoint: String, batch: Long, isContinuous: Boolean)

object MicroBatch {

  /** As Spark notes it on the thread, which foreachBatch and its queries inherit. */
  def current(session: SparkSession): Option[MicroBatch] = {
    val context = session.sparkContext
    for {
      id <- Option(context.getLocalProperty(StreamExecution.QUERY_ID_KEY))
      batch <- Option(context.getLocalProperty(MicroBatchExecution.BATCH_ID_KEY))
      query <- Option(session.sharedState.activeStreamingQueries.get(UUID.fromString(id)))
    } yield MicroBatch(
      query.runId, query.resolvedCheckpointRoot, batch.toLong,
      query.isInstanceOf[ContinuousExecution])
  }

  /** The runs that have not ended. */
  def activeRuns(session: SparkSession): Set[UUID] =
    session.sharedState.activeStreamingQueries.values.asScala.map(_.runId).toSet
}
