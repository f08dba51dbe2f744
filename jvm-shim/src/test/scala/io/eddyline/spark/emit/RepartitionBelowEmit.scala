package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Repartition}
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.emit.clause.Emit

/** Separates EMIT from its aggregation, as an optimizer rule of another extension may do. */
class RepartitionBelowEmit extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case emit: Emit if !emit.child.isInstanceOf[Repartition] =>
      emit.copy(child = Repartition(1, shuffle = true, emit.child))
  }
}
