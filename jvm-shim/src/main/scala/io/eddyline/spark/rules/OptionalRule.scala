package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import io.eddyline.spark.base.EddylineConf

/**
 * A rule that does nothing where `spark.eddyline.rules.excluded` has its name.
 *
 * @param name its name in that conf
 */
private[rules] class OptionalRule[P <: TreeNode[_]](name: String, rule: Rule[P]) extends Rule[P] {

  /** The name of the rule itself, for `spark.sql.optimizer.excludedRules` and Spark's logs. */
  override val ruleName: String = rule.ruleName

  override def apply(plan: P): P =
    if (conf.getConf(EddylineConf.EXCLUDED_RULES).contains(name)) plan else rule(plan)
}

private[rules] object OptionalRule {

  /** Returns a columnar rule of which Spark applies only the half before transitions. */
  def beforeTransitions(name: String, rule: ColumnarRule): ColumnarRule = new ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] =
      new OptionalRule(name, rule.preColumnarTransitions)
  }
}
