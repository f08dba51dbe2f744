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

  /** The metric of unchanged rows that HEARTBEAT emitted; EMITTED counts them too. */
  val HEARTBEATS = "numHeartbeats"

  /** The metric of rows that ORDER BY dropped, because a later row of their key was there. */
  val OUT_OF_ORDER = "numOutOfOrderRows"

  /** The metric of keys whose state EXPIRE AFTER removed. */
  val EXPIRED = "numExpiredKeys"

  /** The metric of deletes that were reported; EMITTED counts them too. */
  val DELETES = "numDeletesEmitted"

  val all: Seq[StatefulOperatorCustomMetric] = Seq(
    StatefulOperatorCustomSumMetric(DROPPED, "number of idempotent updates dropped"),
    StatefulOperatorCustomSumMetric(EMITTED, "number of rows emitted"))

  /** Returns a metric's values, of the operators that have it; a stored progress may have none. */
  def of(progress: StreamingQueryProgress, name: String): Seq[Long] =
    progress.stateOperators.toSeq.flatMap(operator => Option(operator.customMetrics))
      .flatMap(_.asScala.get(name)).map(_.longValue)

  /** The metrics of WITH CHANGE TYPE, if the query has it. */
  def ofChanges(changeType: Option[ChangeType]): Seq[StatefulOperatorCustomMetric] =
    changeType.map(_ => StatefulOperatorCustomSumMetric(DELETES, "number of deletes emitted")).toSeq

  /** Describes an operator in one line of a plan; lists the compared columns if not all are. */
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
