package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import io.eddyline.spark.base.OwnRule

/** A rule over physical plans. */
private[rules] class PhysicalRule(injected: InjectedRule, log: RuleLog, rule: Rule[SparkPlan])
  extends Rule[SparkPlan] with OwnRule {

  override val ruleName: String = rule.ruleName

  override def apply(plan: SparkPlan): SparkPlan =
    if (injected.isExcluded(conf)) {
      plan
    } else {
      def hasChanged(result: SparkPlan): Boolean = !(result fastEquals plan)
      val result = log.measured(injected, hasChanged)(rule(plan))
      if (log.isTraced && hasChanged(result)) log.changed(injected, plan, result)
      result
    }

  override def toString: String = injected.name
}

private[rules] object PhysicalRule {

  /** Returns a columnar rule of which Spark applies only the half before transitions. */
  def before(injected: InjectedRule, log: RuleLog, rule: ColumnarRule): ColumnarRule =
    new ColumnarRule with OwnRule {
      override val preColumnarTransitions: Rule[SparkPlan] =
        new PhysicalRule(injected, log, rule.preColumnarTransitions)

      override def toString: String = injected.name
    }

  /** Returns a columnar rule of which Spark applies only the half after transitions. */
  def after(injected: InjectedRule, log: RuleLog, rule: ColumnarRule): ColumnarRule =
    new ColumnarRule with OwnRule {
      override val postColumnarTransitions: Rule[SparkPlan] =
        new PhysicalRule(injected, log, rule.postColumnarTransitions)

      override def toString: String = injected.name
    }
}
