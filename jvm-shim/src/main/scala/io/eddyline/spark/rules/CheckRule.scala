package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A check of an analyzed plan. */
private[rules] class CheckRule(injected: InjectedRule, log: RuleLog, check: LogicalPlan => Unit)
  extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = log.measuredCheck(injected)(check(plan))

  override def toString: String = injected.name
}
