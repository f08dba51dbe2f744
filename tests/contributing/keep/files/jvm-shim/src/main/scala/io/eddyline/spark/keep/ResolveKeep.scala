package io.eddyline.spark.keep

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.{Limit, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.base.{EddylineConf, EddylineErrors}

/** Replaces KEEP by a LIMIT. Errors, at the number: EDDYLINE_KEEP.TOO_MANY_ROWS. */
object ResolveKeep extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case keep @ Keep(count, child) if child.resolved =>
      val limit = conf.getConf(EddylineConf.KEEP_MAX_ROWS)
      if (count > limit) {
        throw EddylineErrors.analysis("EDDYLINE_KEEP.TOO_MANY_ROWS",
          Map("count" -> count.toString, "limit" -> limit.toString), keep.origin)
      }
      Limit(Literal(count), child)
  }
}
