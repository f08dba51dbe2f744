package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SortExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.streaming.operators.stateful._

import io.eddyline.spark.emit.aggregate.{
  AggregationPhase, EmitOnChangeExec, EmitOnChangeMarkerExec, EmitOnChangeSessionsExec, ResultStep,
  StateToResult
}
import io.eddyline.spark.emit.keyed.StateInfoPlaceholderExec
import io.eddyline.spark.shim.RealTimeShim

/**
 * Inserts the operators of EMIT ON CHANGE into the plan of each micro-batch.
 *
 * A `ColumnarRule` is the only extension point after the rule by which Spark gives stateful
 * operators their state, output mode and watermarks, which it does for its own classes only.
 *
 * Errors: EDDYLINE_EMIT.UNEXPECTED_PLAN.
 */
object InsertEmit extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = _.transformDown {
    case marker: EmitOnChangeMarkerExec => aggregationExec(marker, marker.child, Nil)
    case placeholder: StateInfoPlaceholderExec => placeholder.toEmitExec
  }

  /** Returns the operator that replaces an aggregation and what is between it and EMIT. */
  private def aggregationExec(
      marker: EmitOnChangeMarkerExec, plan: SparkPlan, steps: Seq[ResultStep]): SparkPlan =
    plan match {
      case ResultStep(step, child) => aggregationExec(marker, child, step +: steps)
      case finishing: BaseAggregateExec =>
        val conversion = StateToResult(AggregationPhase(finishing), steps)
        withoutSort(finishing.child) match {
          case StatefulAggregation(save, merging, partial) =>
            EmitOnChangeExec(
              save.keyExpressions,
              save.stateInfo,
              save.outputMode,
              save.eventTimeWatermarkForLateEvents,
              save.eventTimeWatermarkForEviction,
              save.stateFormatVersion,
              save.output,
              AggregationPhase(merging),
              conversion,
              marker.output,
              marker.compared,
              marker.changeType,
              partial)
          case sessions: SessionWindowStateStoreSaveExec =>
            EmitOnChangeSessionsExec(
              sessions.keyWithoutSessionExpressions,
              sessions.sessionExpression,
              sessions.stateInfo,
              sessions.outputMode,
              sessions.eventTimeWatermarkForLateEvents,
              sessions.eventTimeWatermarkForEviction,
              sessions.stateFormatVersion,
              conversion,
              marker.output,
              marker.compared,
              marker.changeType,
              sessions.child)
          case other => throw marker.unexpected(other)
        }
      case other => throw marker.unexpected(other)
    }

  /**
   * Matches the operators that merge partial results into the state. Extracts the operator that
   * writes the state, the merging aggregation, and the plan of the partial results.
   */
  private object StatefulAggregation {
    def unapply(plan: SparkPlan): Option[(StateStoreSaveExec, BaseAggregateExec, SparkPlan)] =
      plan match {
        case save: StateStoreSaveExec => save.child match {
            case merging: BaseAggregateExec =>
              withoutSort(merging.child) match {
                case restore: StateStoreRestoreExec => Some((save, merging, restore.child))
                case _ => None
              }
            case _ => None
          }
        case RealTimeShim.Aggregation(save, merging, partial) => Some((save, merging, partial))
        case _ => None
      }
  }

  /** Returns the child of the sort below a sort-based aggregation; single rows need no order. */
  private def withoutSort(plan: SparkPlan): SparkPlan = plan match {
    case SortExec(_, _, child, _) => child
    case other => other
  }
}
