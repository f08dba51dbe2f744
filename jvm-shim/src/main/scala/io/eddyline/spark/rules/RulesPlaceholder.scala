package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.expressions.FunctionTableSubqueryArgumentExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.eddyline.spark.placeholder.Placeholder

/**
 * Reads `SELECT * FROM __eddyline_show_rules()` and `SELECT * FROM
 * __eddyline_explain_rules(TABLE(query))`, each a whole statement. The lowering added the `SELECT
 * *`, which is dropped.
 */
object RulesPlaceholder extends Placeholder {
  private val SHOW = "__eddyline_show_rules"
  private val EXPLAIN = "__eddyline_explain_rules"

  override def statement(f: UnresolvedTableValuedFunction): Option[LogicalPlan] =
    if (Placeholder.isCalled(f, SHOW)) Some(ShowRulesCommand)
    else Option.when(Placeholder.isCalled(f, EXPLAIN))(explain(f))

  private def explain(f: UnresolvedTableValuedFunction): LogicalPlan = f.functionArgs match {
    case Seq(query: FunctionTableSubqueryArgumentExpression) => ExplainRulesCommand(query.plan)
    case _ => throw Placeholder.refused(EXPLAIN, f.origin)
  }
}
