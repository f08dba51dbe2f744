package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** A strategy of the planner, which changes a plan where it plans one of its nodes. */
private[rules] class StrategyRule(injected: InjectedRule, log: RuleLog, strategy: SparkStrategy)
  extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    val planned = log.measured[Seq[SparkPlan]](injected, _.nonEmpty)(strategy(plan))
    planned.headOption.foreach(log.changed(injected, plan, _))
    planned
  }

  override def toString: String = injected.name
}
