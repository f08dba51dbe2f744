package io.eddyline.spark.emit.aggregate

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution.streaming.operators.stateful._
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
