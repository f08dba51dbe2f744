package io.eddyline.spark.report

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments, SelectStar}

/**
 * Reads `SELECT * FROM __eddyline_explain_clauses(TABLE(query))` and `SELECT * FROM
 * __eddyline_explain_clauses(name => …)`, each a whole statement.
 */
object ReportPlaceholder extends Placeholder {
  private val NAME = "__eddyline_explain_clauses"

  override def command(statement: LogicalPlan): Option[LogicalPlan] = statement match {
    case SelectStar(f: UnresolvedTableValuedFunction) if Placeholder.isCalled(f, NAME) =>
      Some(CurrentOrigin.withOrigin(f.origin)(explain(f)))
    case _ => None
  }

  private def explain(f: UnresolvedTableValuedFunction): LogicalPlan = f.functionArgs match {
    case Seq(query: FunctionTableSubqueryArgumentExpression) => ExplainClausesCommand(query.plan)
    case Seq(_: NamedArgumentExpression) =>
      val arguments = PlaceholderArguments.of(f, "EDDYLINE_REPORT")
      ExplainStreamingClausesCommand(arguments.typedText("name"), arguments.place("name"))
    case _ => throw Placeholder.refused(NAME, f.origin)
  }
}
