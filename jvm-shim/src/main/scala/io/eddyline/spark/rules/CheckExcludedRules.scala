package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.analysis.LeafNodeWithoutStats
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.base.{EddylineConf, EddylineErrors}

/**
 * Refuses a query if `spark.eddyline.rules.excluded` names a rule that is needed or does not exist.
 * Commands are not refused, so that SET can correct the key.
 *
 * Errors: EDDYLINE_RULES.NOT_FOUND, REQUIRED.
 */
private[rules] class CheckExcludedRules(rules: => Seq[InjectedRule]) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val names = conf.getConf(EddylineConf.EXCLUDED_RULES)
    if (names.nonEmpty && hasQuery(plan)) names.foreach(requireOptional)
    plan
  }

  /** Whether a plan has a query. Some commands have none, nor have rows of a command or client. */
  private def hasQuery(plan: LogicalPlan): Boolean = plan match {
    case _: CommandResult | _: LocalRelation => false
    case command: Command =>
      command.children.exists(!_.isInstanceOf[LeafNodeWithoutStats]) // SHOW and DROP have names
    case _: Project | _: SubqueryAlias | _: GlobalLimit | _: LocalLimit | _: ReturnAnswer =>
      hasQuery(plan.children.head)
    case _ => true
  }

  private def requireOptional(name: String): Unit =
    rules.find(_.name == name) match {
      case Some(rule) if rule.isOptional =>
      case Some(_) =>
        throw EddylineErrors.analysis("EDDYLINE_RULES.REQUIRED", Map("rule" -> name))
      case None =>
        throw EddylineErrors.analysis("EDDYLINE_RULES.NOT_FOUND",
          Map(
            "rule" -> name,
            "rules" -> rules.filter(_.isOptional).map(_.name).mkString(", ")))
    }
}
