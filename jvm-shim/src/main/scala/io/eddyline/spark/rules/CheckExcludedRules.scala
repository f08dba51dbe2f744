package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.base.{EddylineConf, EddylineErrors}

/**
 * Refuses a query if `spark.eddyline.rules.excluded` names a rule that is needed or does not exist.
 * Commands run, so that SET can correct the key.
 *
 * Errors: EDDYLINE_RULES.NOT_FOUND, REQUIRED.
 */
private[rules] class CheckExcludedRules(rules: => Seq[InjectedRule]) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val names = conf.getConf(EddylineConf.EXCLUDED_RULES)
    if (names.nonEmpty && RuleLog.isQuery(plan)) names.foreach(requireOptional)
    plan
  }

  private def requireOptional(name: String): Unit =
    rules.find(_.name == name) match {
      case Some(rule) => rule.needed.foreach { reason =>
          throw EddylineErrors.analysis(
            "EDDYLINE_RULES.REQUIRED", Map("rule" -> name, "reason" -> reason))
        }
      case None =>
        throw EddylineErrors.analysis("EDDYLINE_RULES.NOT_FOUND",
          Map(
            "rule" -> name,
            "rules" -> rules.filter(_.isOptional).map(_.name).mkString(", ")))
    }
}
