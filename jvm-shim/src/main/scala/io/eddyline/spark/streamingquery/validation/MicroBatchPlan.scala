package io.eddyline.spark.streamingquery.validation

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.checkpointing.OffsetSeqMetadata
import org.apache.spark.sql.execution.streaming.runtime.{IncrementalExecution, WatermarkPropagator}
import org.apache.spark.sql.execution.streaming.runtime.StreamingCheckpointConstants.DIR_NAME_STATE
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.emit.clause.Emit

/** Plans a micro-batch of a streaming query as Spark would at its start, but runs nothing. */
private[streamingquery] class MicroBatchPlan(session: SparkSession, checkpoint: Checkpoint) {

  /** The shape of a query, whose plan is analyzed. */
  def shape(analyzed: LogicalPlan): QueryShape = QueryShape(analyzed, planned(analyzed))

  /** The physical plan of a query, whose plan is analyzed, before it reads anything. */
  def planned(analyzed: LogicalPlan): SparkPlan = plan(analyzed, "<unknown>", isFirst = false)

  /**
   * Returns why Spark would not continue the query from the checkpoint: the operators or the schema
   * of the state are others. None: it would.
   */
  def refusal(analyzed: LogicalPlan): Option[String] = checkpoint.withCopy { copy =>
    try {
      plan(analyzed, new Path(copy, DIR_NAME_STATE).toString, isFirst = true)
      None
    } catch {
      case e: Throwable with SparkThrowable =>
        String.valueOf(e.getMessage).linesIterator.map(_.trim).find(_.nonEmpty).orElse(Some(""))
    }
  }

  private def plan(analyzed: LogicalPlan, location: String, isFirst: Boolean): SparkPlan = {
    val own = SessionInternals.copyOf(session)
    // as StreamExecution sets them
    own.sessionState.conf.setConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED, false)
    own.sessionState.conf.setConf(SQLConf.CBO_ENABLED, false)
    checkpoint.confs.foreach { case (key, value) =>
      own.sessionState.conf.setConfString(key, value)
    }
    own.withActive {
      val id = UUID.randomUUID
      new IncrementalExecution(
        own, analyzed, Emit.outputMode(analyzed), location, id, id, checkpoint.nextBatch, None,
        OffsetSeqMetadata(0, 0, checkpoint.confs), WatermarkPropagator.noop(), isFirst)
        .executedPlan
    }
  }
}
