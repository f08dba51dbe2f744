package io.eddyline.spark.shim

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreSaveExec
import org.apache.spark.sql.internal.SQLConf

/** Real-time mode before it had aggregations. */
private[spark] object RealTimeShim {

  /** Whether a query in real-time mode may keep state. */
  val HAS_STATE = false

  /** The confs that Spark sets for a query in real-time mode, unless the session has others. */
  val FORMAT: Map[String, String] = Map.empty

  /** Whether a query whose checkpoint has this format can go on in real-time mode. */
  def continues(format: Int, conf: SQLConf): Boolean = true

  /** Matches no operator: there is none that merges each row into the state. */
  object Aggregation {
    def unapply(plan: SparkPlan): Option[(StateStoreSaveExec, BaseAggregateExec, SparkPlan)] = None
  }
}
