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

/** Plans a micro-batch of a streaming query as Spark does, but runs nothing. */
private[streamingquery] class MicroBatchPlanner(session: SparkSession, checkpoint: Checkpoint) {

  /** The shape of an analyzed query. */
  def shape(analyzed: LogicalPlan): QueryShape = QueryShape(analyzed, plan(analyzed))

  /** The physical plan of an analyzed query. The state has no location, as in EXPLAIN. */
  def plan(analyzed: LogicalPlan): SparkPlan = plan(analyzed, "<unknown>", isFirstBatch = false)

  /**
   * Returns why Spark would refuse, in its first micro-batch, to continue from the checkpoint: the
   * state has other operators or another schema. None if it would not refuse.
   */
  def refusal(analyzed: LogicalPlan): Option[String] = checkpoint.withCopy { copy =>
    try {
      plan(analyzed, new Path(copy, DIR_NAME_STATE).toString, isFirstBatch = true)
      None
    } catch {
      case e: Throwable with SparkThrowable =>
        String.valueOf(e.getMessage).linesIterator.map(_.trim).find(_.nonEmpty).orElse(Some(""))
    }
  }

  private def plan(analyzed: LogicalPlan, location: String, isFirstBatch: Boolean): SparkPlan = {
    val copy = SessionInternals.copyOf(session)
    // as StreamExecution sets them
    copy.sessionState.conf.setConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED, false)
    copy.sessionState.conf.setConf(SQLConf.CBO_ENABLED, false)
    checkpoint.confs.foreach { case (key, value) =>
      copy.sessionState.conf.setConfString(key, value)
    }
    copy.withActive {
      val id = UUID.randomUUID
      new IncrementalExecution(
        copy, analyzed, Emit.outputMode(analyzed), location, id, id, checkpoint.nextBatch, None,
        OffsetSeqMetadata(0, 0, checkpoint.confs), WatermarkPropagator.noop(), isFirstBatch)
        .executedPlan
    }
  }
}
