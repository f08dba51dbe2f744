package io.eddyline.spark.report

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.command.ExplainCommand

import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments}
import io.eddyline.spark.streamingquery.StreamingQueryPlaceholder

/**
 * Reads `SELECT * FROM __eddyline_explain_clauses(TABLE(query))` and `SELECT * FROM
 * __eddyline_explain_clauses(name => …)`, each a whole statement; and Spark's EXPLAIN of a
 * statement with the CTE `__eddyline_explain_clauses`.
 */
object ReportPlaceholder extends Placeholder {
  private val NAME = "__eddyline_explain_clauses"

  override def statement(
      call: PlaceholderArguments, lowered: String => String): Option[LogicalPlan] =
    Option.when(call.function == NAME) {
      if (call.contains("name")) {
        ExplainStreamingClausesCommand(StreamingQueryPlaceholder.name(call), call.place("name"))
      } else ExplainClausesCommand(call.query)
    }

  override def command(
      plan: LogicalPlan, lowered: String => String): Option[LogicalPlan] = plan match {
    case ExplainCommand(Marked(written), _) => Some(ExplainClausesCommand(written))
    case _ => super.command(plan, lowered)
  }

  /** Matches a statement that the CTE marks, and extracts the statement without the CTE. */
  private object Marked {
    def unapply(statement: LogicalPlan): Option[LogicalPlan] = statement match {
      case tree: UnresolvedWith =>
        val others = tree.cteRelations.filterNot(_._1.equalsIgnoreCase(NAME))
        Option.when(others.size < tree.cteRelations.size) {
          if (others.isEmpty) tree.child else tree.copy(cteRelations = others)
        }
      case create: CreateTableAsSelect =>
        unapply(create.query).map(query => create.copy(query = query))
      case replace: ReplaceTableAsSelect =>
        unapply(replace.query).map(query => replace.copy(query = query))
      case _ => None
    }
  }
}
