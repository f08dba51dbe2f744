package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Repartition}
import org.apache.spark.sql.catalyst.rules.Rule

/** An optimizer rule, as of another extension, that separates EMIT from its aggregation. */
class RepartitionBelowEmit extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case emit @ Emit(_, _, _, _, _, child) if !child.isInstanceOf[Repartition] =>
      emit.copy(child = Repartition(1, shuffle = true, child))
  }
}
