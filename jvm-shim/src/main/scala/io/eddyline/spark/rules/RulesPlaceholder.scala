package io.eddyline.spark.rules

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.{EddylineConf, RowsCommand}
import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments}

/** Reads the statement `SELECT * FROM __eddyline_show_rules()`. */
object RulesPlaceholder extends Placeholder {

  override def statement(
      call: PlaceholderArguments, lowered: String => String): Option[LogicalPlan] =
    Option.when(call.function == "__eddyline_show_rules")(ShowRulesCommand)
}

/**
 * Runs SHOW EDDYLINE RULES: one row for each rule, in the order of Spark's phases. Its switch is
 * OFF if `spark.eddyline.rules.excluded` has its name, else ON; it is NULL if a clause needs it.
 */
case object ShowRulesCommand extends RowsCommand {
  override protected val columns: StructType = StructType.fromDDL(
    "phase STRING NOT NULL, rule STRING NOT NULL, description STRING NOT NULL, switch STRING")

  override protected def rows(session: SparkSession): Seq[Row] = {
    val excluded = conf.getConf(EddylineConf.EXCLUDED_RULES).toSet
    EddylineRules.ALL.map { rule =>
      val switch = if (excluded(rule.name)) "OFF" else "ON"
      Row(rule.phase, rule.name, rule.description, if (rule.isOptional) switch else null)
    }
  }
}
