package io.eddyline.spark.emit.aggregate

import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state.StateStore

/** A stateful operator of EMIT ON CHANGE: it counts what it emits and what it drops. */
private[emit] trait EmitStateWriter extends StateStoreWriter { self: SparkPlan =>

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    EmitMetrics.all

  /**
   * No metrics of Python workers, which Spark gives to every stateful operator. One of them has the
   * same description as `numOutputRows`.
   */
  override val pythonMetrics: Map[String, SQLMetric] = Map.empty

  /** Adds the time since `start`, in nanoseconds, to that of updates of the state. */
  protected def measureUpdates(start: Long): Unit =
    longMetric("allUpdatesTimeMs") += NANOSECONDS.toMillis(System.nanoTime() - start)

  protected def measureRemovals(removals: => Unit): Unit =
    longMetric("allRemovalsTimeMs") += timeTakenMs(removals)

  /** Measures a commit, and then all that the store and the operator count. */
  protected def measureCommit(store: StateStore)(commit: => Unit): Unit = {
    longMetric("commitTimeMs") += timeTakenMs(commit)
    setStoreMetrics(store)
    setOperatorMetrics()
  }
}
