package io.eddyline.spark.emit.aggregate

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo

import io.eddyline.spark.base.{EddylineConf, PerRun}

/**
 * Decides in each micro-batch whether an operator's rows are aggregated before they are shuffled,
 * which pays only if there are several rows per group. The micro-batch before has measured that: by
 * the rows before and after its partial aggregation, or if it had none, by the rows and groups of
 * the operator. There a group counts once for each of its branches, since no task before the
 * shuffle has rows of two branches.
 */
private[emit] class PartialAggregations {
  private var isUsed = false
  private var lastTry = Option.empty[Long]
  private var counted = Option.empty[GroupCounts]

  /**
   * Whether the rows of a micro-batch are aggregated before the shuffle.
   *
   * @param least the rows per group from which on this is tried
   */
  def decide(batch: Long, least: Int): Boolean = synchronized {
    val ratio = counted.flatMap(_.rowsPerGroup)
    if (isUsed) {
      isUsed = ratio.forall(_ >= PartialAggregations.BREAK_EVEN)
    } else if (ratio.exists(_ >= least) &&
      lastTry.forall(batch - _ >= PartialAggregations.MICRO_BATCHES_BETWEEN)) {
      isUsed = true
      lastTry = Some(batch)
    }
    isUsed
  }

  /** Takes the metrics of a micro-batch that is to run. */
  def count(metrics: GroupCounts): Unit = synchronized { counted = Some(metrics) }
}

private[emit] object PartialAggregations {

  /** The rows per group from which on a partial aggregation goes on. */
  private val BREAK_EVEN = 2

  /** The rows per group from which on a partial aggregation is tried. */
  private val LEAST = 3

  /** The same for functions over objects, whose buffers are larger than rows. */
  private val LEAST_OF_OBJECTS = 10

  /** After how many micro-batches a partial aggregation is tried again. */
  private val MICRO_BATCHES_BETWEEN = 10

  private val runs = new PerRun[ConcurrentHashMap[Long, PartialAggregations]]

  /** Whether the rows of a planned micro-batch are aggregated before the shuffle. */
  def areUsed(
      session: SparkSession,
      state: Option[StatefulOperatorStateInfo],
      partial: BaseAggregateExec): Boolean =
    session.sessionState.conf.getConf(EddylineConf.EMIT_PARTIAL_AGGREGATION) match {
      case "AUTO" =>
        val hasObjects = partial.aggregateExpressions.exists(
          _.aggregateFunction.isInstanceOf[TypedImperativeAggregate[_]])
        current(session, state).exists { case (micro, decision) =>
          decision.decide(micro.batch, if (hasObjects) LEAST_OF_OBJECTS else LEAST)
        }
      case fixed => fixed == "ALWAYS"
    }

  /** Takes the metrics of an operator that is to run, for the decision of the next micro-batch. */
  def count(
      session: SparkSession, state: Option[StatefulOperatorStateInfo], metrics: GroupCounts): Unit =
    current(session, state).foreach { case (_, decision) => decision.count(metrics) }

  /** Returns the micro-batch that runs and the decision of an operator; None in plans to show. */
  private def current(session: SparkSession, state: Option[StatefulOperatorStateInfo])
      : Option[(MicroBatch, PartialAggregations)] =
    for {
      info <- state
      micro <- MicroBatch.current(session)
      if micro.run == info.queryRunId
    } yield {
      val operators = runs.of(session, micro.run)
        .computeIfAbsent(micro.run, _ => new ConcurrentHashMap[Long, PartialAggregations])
      micro -> operators.computeIfAbsent(info.operatorId, _ => new PartialAggregations)
    }
}

/**
 * The metrics of a micro-batch by which the next one decides.
 *
 * @param rows metrics whose sum is the number of rows before a partial aggregation
 * @param groups the number of rows that this leaves, or would leave
 */
private[spark] case class GroupCounts(rows: Seq[SQLMetric], groups: SQLMetric) {

  /** The rows per group; None if there are no rows. */
  def rowsPerGroup: Option[Double] =
    Option.when(groups.value > 0)(rows.map(_.value).sum.toDouble / groups.value)
}

private[spark] object GroupCounts {

  /** Returns the metrics whose sum is the number of rows of a plan. */
  def rowsOf(plan: SparkPlan): Seq[SQLMetric] =
    plan.metrics.get("numOutputRows").fold(plan.children.flatMap(rowsOf))(Seq(_))
}
