package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments}

/** Reads the statement `SELECT * FROM __eddyline_show_rules()`. */
object RulesPlaceholder extends Placeholder {

  override def statement(
      call: PlaceholderArguments, lowered: String => String): Option[LogicalPlan] =
    Option.when(call.function == "__eddyline_show_rules")(ShowRulesCommand)
}
