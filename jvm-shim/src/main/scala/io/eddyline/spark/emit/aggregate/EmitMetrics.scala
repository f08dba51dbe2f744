package io.eddyline.spark.emit.aggregate

import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.streaming.StreamingQueryProgress

import io.eddyline.spark.emit.clause.ChangeType

/** The metrics of the operators of EMIT ON CHANGE, and their description in plans. */
private[spark] object EmitMetrics {

  /** The metric of dropped updates; KIP-557 calls it `idempotent-update-skip`. */
  val DROPPED = "numIdempotentUpdatesDropped"

  /** The metric of emitted rows in progress reports; Spark's `numOutputRows` is in the UI only. */
  val EMITTED = "numRowsEmitted"

  /** The metric of dropped updates whose change TOLERANCE ignores; DROPPED counts them too. */
  val TOLERATED = "numToleratedUpdates"

  /** The metric of unchanged rows that HEARTBEAT has emitted; EMITTED counts them too. */
  val HEARTBEATS = "numHeartbeats"

  /** The metric of rows that ORDER BY has dropped, because their key has a later row. */
  val OUT_OF_ORDER = "numOutOfOrderRows"

  /** The metric of keys whose state EXPIRE AFTER has removed. */
  val EXPIRED = "numExpiredKeys"

  /** The metric of deletes that were reported; EMITTED counts them too. */
  val DELETES = "numDeletesEmitted"

  /** The metric of rows that have updated buffers. */
  val INPUT_ROWS = "numAggregatedRows"

  /** The metric of groups that rows have updated; a group counts once for each of its branches. */
  val BRANCH_GROUPS = "numAggregatedGroups"

  val all: Seq[StatefulOperatorCustomMetric] = Seq(
    StatefulOperatorCustomSumMetric(DROPPED, "number of idempotent updates dropped"),
    StatefulOperatorCustomSumMetric(EMITTED, "number of rows emitted"))

  /** The metrics by which [[PartialAggregations]] decides. */
  val ofGroups: Seq[StatefulOperatorCustomMetric] = Seq(
    StatefulOperatorCustomSumMetric(INPUT_ROWS, "number of rows aggregated"),
    StatefulOperatorCustomSumMetric(BRANCH_GROUPS, "number of groups aggregated"))

  /** Returns the values of a metric, one for each operator that has it. */
  def of(progress: StreamingQueryProgress, name: String): Seq[Long] =
    progress.stateOperators.toSeq.flatMap(operator => Option(operator.customMetrics))
      .flatMap(_.asScala.get(name)).map(_.longValue)

  /** The metrics of WITH CHANGE TYPE, if the query has it. */
  def ofChanges(changeType: Option[ChangeType]): Seq[StatefulOperatorCustomMetric] =
    changeType.map(_ => StatefulOperatorCustomSumMetric(DELETES, "number of deletes emitted")).toSeq

  /** Describes an operator in a line of a plan. Names the compared columns if they are not all. */
  def describe(
      name: String,
      keys: Seq[Attribute],
      output: Seq[Attribute],
      compared: Seq[Attribute],
      maxFields: Int): String = {
    def list(columns: Seq[Attribute]): String =
      truncatedString(columns, "[", ", ", "]", maxFields)
    val only = if (compared == output) "" else s", compared=${list(compared)}"
    s"$name keys=${list(keys)}, columns=${list(output)}$only"
  }
}

/** A stateful operator of EMIT ON CHANGE, which counts emitted rows and dropped updates. */
private[emit] trait EmitStateWriter extends StateStoreWriter { self: SparkPlan =>

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    EmitMetrics.all

  /**
   * Empty: Spark gives metrics of Python workers to every stateful operator, and one of them has
   * the description of `numOutputRows`.
   */
  override val pythonMetrics: Map[String, SQLMetric] = Map.empty

  /** Adds the time since `start` (by `System.nanoTime`) to the time of updates of the state. */
  protected def measureUpdates(start: Long): Unit =
    longMetric("allUpdatesTimeMs") += NANOSECONDS.toMillis(System.nanoTime() - start)

  protected def measureRemovals(removals: => Unit): Unit =
    longMetric("allRemovalsTimeMs") += timeTakenMs(removals)

  /** Commits and measures the time, then sets the metrics of the store and of the operator. */
  protected def measureCommit(store: StateStore)(commit: => Unit): Unit = {
    longMetric("commitTimeMs") += timeTakenMs(commit)
    setStoreMetrics(store)
    setOperatorMetrics()
  }
}
