package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.OutputMode

import io.eddyline.spark.base.RealTime
import io.eddyline.spark.emit.aggregate._
import io.eddyline.spark.emit.keyed.StateInfoPlaceholderExec
import io.eddyline.spark.shim.RealTimeShim

/**
 * Inserts the operators of EMIT ON CHANGE and EMIT ON UPDATE into the plan of each micro-batch.
 *
 * A `ColumnarRule` is the only extension point after the rule by which Spark gives stateful
 * operators their state, output mode and watermarks, which it does for its own classes only.
 *
 * Errors: EDDYLINE_EMIT.UNEXPECTED_PLAN.
 */
object InsertEmit extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = _.transformDown {
    case marker: EmitMarkerExec => emitExec(marker, marker.child, Nil) match {
        case Right(operator) => operator
        case Left(_) if marker.isOnUpdate => marker.child
        case Left(unexpected) => throw marker.unexpected(unexpected)
      }
    case placeholder: StateInfoPlaceholderExec => placeholder.toEmitExec
  }

  /**
   * Returns the operator that replaces an aggregation and what is between it and EMIT. On the left
   * is the operator of Spark that stays, or that is not expected.
   */
  private def emitExec(
      marker: EmitMarkerExec,
      plan: SparkPlan,
      steps: Seq[ResultStep]): Either[SparkPlan, SparkPlan] = plan match {
    case ResultStep(step, child) => emitExec(marker, child, step +: steps)
    case finishing: BaseAggregateExec =>
      val conversion = StateToResult(AggregationPhase(finishing), steps)
      PlanStateAggregation.withoutSort(finishing.child) match {
        case StatefulAggregation(save, merging, partials)
            if !marker.isOnUpdate || gainsFromOrder(save) && !conversion.hasSubquery =>
          Right(PlanStateAggregation(marker, save, merging, partials, conversion))
        case sessions: SessionWindowStateStoreSaveExec if !marker.isOnUpdate =>
          Right(EmitOnChangeSessionsExec(
              sessions.keyWithoutSessionExpressions, sessions.sessionExpression, sessions.stateInfo,
              sessions.outputMode, sessions.eventTimeWatermarkForLateEvents,
              sessions.eventTimeWatermarkForEviction, sessions.stateFormatVersion, conversion,
              marker.output, marker.compared.getOrElse(Nil), marker.changeType, sessions.child))
        case other => Left(other)
      }
    case other => Left(other)
  }

  /**
   * Whether an aggregation with EMIT ON UPDATE is faster over sorted rows: in micro-batches in the
   * output mode Update, with a state store that is no hash map.
   */
  private def gainsFromOrder(save: StateStoreSaveExec): Boolean =
    save.outputMode.contains(OutputMode.Update()) && !RealTime.readsStream(save) &&
      save.conf.stateStoreProviderClass != HASH_MAP

  /** Spark's default, `HDFSBackedStateStoreProvider`. */
  private val HASH_MAP = SQLConf.STATE_STORE_PROVIDER_CLASS.defaultValueString

  /**
   * Matches the operators that merge partial results into the state. Extracts the operator that
   * writes the state, the merging aggregation, and the plan of the partial results.
   */
  private object StatefulAggregation {
    def unapply(plan: SparkPlan): Option[(StateStoreSaveExec, BaseAggregateExec, SparkPlan)] =
      plan match {
        case save: StateStoreSaveExec =>
          for {
            merging <- Some(save.child).collect { case merging: BaseAggregateExec => merging }
            partials <- Some(PlanStateAggregation.withoutSort(merging.child)).collect {
              case restore: StateStoreRestoreExec => restore.child
            }
          } yield (save, merging, partials)
        case RealTimeShim.Aggregation(save, merging, partial) => Some((save, merging, partial))
        case _ => None
      }
  }
}
