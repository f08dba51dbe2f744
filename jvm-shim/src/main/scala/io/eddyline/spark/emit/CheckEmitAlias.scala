package io.eddyline.spark.emit

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.base.EddylineErrors

/**
 * Explains an EMIT clause that Spark has read as an alias: `a JOIN b EMIT ON CHANGE` is a join with
 * the alias EMIT and the condition CHANGE. If there is no column CHANGE, the user has meant the
 * clause, and the error says what to write. The rule runs after resolution and before Spark's own
 * check, whose error would only name the column.
 *
 * Errors, at the condition: EDDYLINE_EMIT.READ_AS_ALIAS.
 */
object CheckEmitAlias extends Rule[LogicalPlan] {
  private val STRATEGIES = Set("CHANGE", "UPDATE", "WINDOW")

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case Join(_, SubqueryAlias(alias, _), _, Some(condition: UnresolvedAttribute), _)
          if alias.name.equalsIgnoreCase("EMIT") && condition.nameParts.size == 1 &&
            STRATEGIES(condition.nameParts.head.toUpperCase(Locale.ROOT)) =>
        EddylineErrors.fail("EDDYLINE_EMIT.READ_AS_ALIAS", condition.origin,
          "column" -> condition.nameParts.head)
      case _ =>
    }
    plan
  }
}
