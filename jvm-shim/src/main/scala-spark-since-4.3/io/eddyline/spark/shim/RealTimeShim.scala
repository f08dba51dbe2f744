package io.eddyline.spark.shim

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.streaming.StatefulStreamlineAggregateExec
import org.apache.spark.sql.execution.streaming.checkpointing.CommitLog
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreSaveExec
import org.apache.spark.sql.internal.SQLConf

/** How Spark aggregates in real-time mode. */
private[spark] object RealTimeShim {

  /** Whether a query in real-time mode may keep state. */
  val HAS_STATE = true

  /** The confs that Spark sets for a query in real-time mode, unless the session has others. */
  val FORMAT: Map[String, String] = Map(
    SQLConf.STATE_STORE_CHECKPOINT_FORMAT_VERSION.key -> CommitLog.VERSION_2.toString,
    SQLConf.STATE_STORE_PROVIDER_CLASS.key ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")

  /** Whether a query whose checkpoint has this format can go on in real-time mode. */
  def continues(format: Int, conf: SQLConf): Boolean = format >= CommitLog.VERSION_2 ||
    conf.getConf(SQLConf.STREAMING_REAL_TIME_MODE_DANGEROUSLY_ALLOW_CHECKPOINT_V1)

  /**
   * Matches the operator that merges each row into the state. Gives the operator of micro-batches
   * that would write the same state, the merging aggregation, and the plan of the rows.
   */
  object Aggregation {
    def unapply(plan: SparkPlan): Option[(StateStoreSaveExec, BaseAggregateExec, SparkPlan)] =
      plan match {
        case merging: StatefulStreamlineAggregateExec =>
          val save = StateStoreSaveExec(
            merging.keyExpressions,
            merging.stateInfo,
            merging.outputMode,
            merging.eventTimeWatermarkForLateEvents,
            merging.eventTimeWatermarkForEviction,
            merging.stateFormatVersion,
            merging)
          Some((save, merging, merging.child))
        case _ => None
      }
  }
}
