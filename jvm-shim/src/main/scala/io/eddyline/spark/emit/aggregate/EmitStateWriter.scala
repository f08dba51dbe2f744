package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.operators.stateful._

/** A stateful operator of EMIT ON CHANGE: it counts what it emits and what it drops. */
private[emit] trait EmitStateWriter extends StateStoreWriter { self: SparkPlan =>

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    EmitMetrics.all

  /**
   * No metrics of Python workers, which Spark gives to every stateful operator. One of them has the
   * same description as `numOutputRows`.
   */
  override val pythonMetrics: Map[String, SQLMetric] = Map.empty
}
