package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** A rule of the analyzer, the normalization or the optimizer, all of which Spark measures. */
private[rules] class CatalystRule(
    injected: InjectedRule, log: RuleLog, rule: Rule[LogicalPlan], isOptimizer: Boolean)
  extends Rule[LogicalPlan] {

  /** The name of the rule itself, for `spark.sql.optimizer.excludedRules` and Spark's logs. */
  override val ruleName: String = rule.ruleName

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (isOptimizer) log.optimizing(plan)
    if (injected.isExcluded(conf)) {
      plan
    } else {
      val result = rule(plan)
      if (log.isTraced && !(result fastEquals plan)) log.changed(injected, plan, result)
      result
    }
  }

  override def toString: String = injected.name
}
