package io.eddyline.spark.shim

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.streaming.StatefulStreamlineAggregateExec
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreSaveExec

/** How Spark aggregates in real-time mode. */
private[spark] object RealTimeShim {

  /** Whether a query in real-time mode may keep state. */
  val HAS_STATE = true

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
