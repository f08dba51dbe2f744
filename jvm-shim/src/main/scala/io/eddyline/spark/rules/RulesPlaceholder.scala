package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.eddyline.spark.placeholder.Placeholder

/**
 * Reads `SELECT * FROM __eddyline_show_rules()`, a whole statement. The lowering added the `SELECT
 * *`, which is dropped.
 */
object RulesPlaceholder extends Placeholder {
  private val SHOW = "__eddyline_show_rules"

  override def statement(f: UnresolvedTableValuedFunction): Option[LogicalPlan] =
    Option.when(Placeholder.isCalled(f, SHOW))(ShowRulesCommand)
}
