package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.emit.aggregate.EmitMarkerExec
import io.eddyline.spark.emit.clause.{Emit, EmitStrategy}
import io.eddyline.spark.emit.keyed.{KeyState, StateInfoPlaceholderExec}

/**
 * Plans EMIT in a streaming query. ON CHANGE becomes an operator, and ON UPDATE over an aggregation
 * where that is faster. ON WINDOW CLOSE and EVERY become none, since they only set the output mode
 * and the trigger.
 */
object PlanEmit extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case emit: Emit => CurrentOrigin.withOrigin(emit.origin)(emit.strategy match {
        case EmitStrategy.OnChange => onChange(emit)
        case EmitStrategy.OnUpdate if emit.overAggregation =>
          EmitMarkerExec(None, None, planLater(emit.child))
        case _ => planLater(emit.child)
      }) :: Nil
    case _ => Nil
  }

  private def onChange(emit: Emit): SparkPlan =
    if (!emit.isKeyed) {
      EmitMarkerExec(Some(emit.comparedAttributes), emit.changeType, planLater(emit.child))
    } else {
      val rows = planLater(emit.child)
      // without the column of WITH CHANGE TYPE, so that it is not shuffled
      val result =
        if (emit.changeType.isEmpty) rows else ProjectExec(emit.resultAttributes, rows)
      StateInfoPlaceholderExec.plan(KeyState.of(emit, SQLConf.get), result, emit.output)
    }
}
