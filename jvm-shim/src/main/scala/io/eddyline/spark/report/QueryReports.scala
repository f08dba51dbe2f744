package io.eddyline.spark.report

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eddyline.EndedQueries
import org.apache.spark.sql.execution.SparkPlan

import io.eddyline.spark.base.Redaction
import io.eddyline.spark.ui.{ClausesReported, ReportedClause}
import io.eddyline.spark.ui.live.LiveUi

/** Posts what became of the clauses of each query that has run, for the tab "Eddyline". */
object QueryReports extends Logging {

  def begin(context: SparkContext): Unit = LiveUi.attach(context) {
    context.addSparkListener(new EndedQueries((id, time, plan) => report(context, id, time, plan)))
  }

  private def report(context: SparkContext, id: Long, time: Long, plan: SparkPlan): Unit =
    try {
      val found = PlanReport.of(plan)
      if (found.exists(PlanReport.isOfClause)) {
        val clauses = FindingRows.of(found, Redaction.text(plan.conf, _)).map { row =>
          ReportedClause(row.getString(0), row.getString(1), row.getString(2),
            Option(row.getString(3)), row.getString(4))
        }
        LiveUi.post(context, ClausesReported(id, time, clauses))
      }
    } catch {
      case NonFatal(e) => logWarning(s"The clauses of query $id are not in the UI", e)
    }
}
