package io.eddyline.spark.emit

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.EddylineErrors

/**
 * To Spark `a JOIN b EMIT ON CHANGE` is a join with the alias EMIT and the condition CHANGE, and
 * that stands. Where no column CHANGE is found, the user meant the clause and is told what to
 * write. Runs after resolution and before Spark's own check, which would name the column only.
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
        throw EddylineErrors.analysis("EDDYLINE_EMIT.READ_AS_ALIAS",
          Map("column" -> condition.nameParts.head), condition.origin)
      case _ =>
    }
    plan
  }
}
