package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments}

/**
 * Reads `SELECT * FROM __eddyline_show_rules()`, a whole statement. The lowering added the `SELECT
 * *`, which is dropped.
 */
object RulesPlaceholder extends Placeholder {
  private val SHOW = "__eddyline_show_rules"

  override def statement(
      call: PlaceholderArguments, lowered: String => String): Option[LogicalPlan] =
    Option.when(call.function == SHOW)(ShowRulesCommand)
}
