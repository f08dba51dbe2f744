package io.eddyline.spark.report

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.operators.stateful.join._
import org.apache.spark.sql.streaming.OutputMode

import io.eddyline.spark.assume.claim.ClaimText
import io.eddyline.spark.emit.aggregate.{
  EmitMetrics, EmitOnChangeSessionsExec, StateAggregationExec
}
import io.eddyline.spark.emit.keyed.EmitOnChangeKeyExec

/** Reports the stateful operators of a micro-batch's plan. */
private[report] object StateOperators {

  /** Returns what an operator emits and holds in its state; None if it is not stateful. */
  def of(place: OperatorWithParents): Option[StateFinding] = place.operator match {
    case writer: StateStoreWriter =>
      val operator: SparkPlan = writer
      val metrics = operator.metrics
      val hasRun = metrics.values.exists(!_.isZero)
      def count(name: String) = metrics.get(name).filter(_ => hasRun).map(_.value)
      val (outcome, reason) = emission(writer)
      Some(StateFinding(
          ClaimText.operator(operator), writer.stateInfo.map(_.operatorId),
          ClaimText.keys(keys(writer)), outcome, Some(reason),
          rows = count("numTotalStateRows"), bytes = count("stateMemory"),
          updated = count("numUpdatedStateRows"), removed = count("numRemovedStateRows"),
          dropped = count(EmitMetrics.DROPPED), late = count("numRowsDroppedByWatermark")))
    case _ => None
  }

  private def keys(writer: StateStoreWriter): Seq[Expression] = writer match {
    case keyed: WatermarkSupport => keyed.keyExpressions
    case join: StreamingSymmetricHashJoinExec => join.leftKeys
    case _ => Nil
  }

  /** Returns the outcome of a [[StateFinding]] and its reason. */
  private def emission(writer: StateStoreWriter): (String, String) = writer match {
    case aggregation: StateAggregationExec =>
      val (outcome, reason) =
        if (aggregation.comparedColumns.isEmpty) byMode(aggregation.outputMode) else changes
      (outcome, reason + shuffled(aggregation))
    case _: EmitOnChangeSessionsExec => changes
    case _: EmitOnChangeKeyExec =>
      ("CHANGES", "EMIT ON CHANGE KEY compares the row with the last emitted one of the key")
    case save: StateStoreSaveExec => byMode(save.outputMode)
    case sessions: SessionWindowStateStoreSaveExec => byMode(sessions.outputMode)
    case _: StreamingSymmetricHashJoinExec | _: BaseStreamingDeduplicateExec |
        _: StreamingGlobalLimitExec =>
      ("NEW", "each row is emitted once")
    case _ => ("CUSTOM", "a function of the query decides")
  }

  private val changes =
    ("CHANGES", "EMIT ON CHANGE compares the result with the previous one of the key")

  /** Says whether rows are aggregated before the shuffle, and how many rows a group has. */
  private def shuffled(aggregation: StateAggregationExec): String = {
    val ratio = aggregation.counts.rowsPerGroup.fold("")(rows => f" ($rows%.1f a group)")
    val are = if (aggregation.rows.areRaw) "are not" else "are"
    s"; rows $are aggregated before the shuffle$ratio"
  }

  private def byMode(mode: Option[OutputMode]): (String, String) =
    mode.map(_.toString) match {
      case Some("Update") => ("UPDATES", "the output mode is Update")
      case Some("Complete") => ("ALL", "the output mode is Complete")
      case _ => ("CLOSED", "the output mode is Append")
    }
}
