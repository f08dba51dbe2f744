package io.eddyline.spark.report

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eddyline.BatchQueryListener
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.ui.eddyline.EddylineUi

import io.eddyline.spark.base.{EddylineConf, PerApplication, Redaction}
import io.eddyline.spark.globaltable.refresh.GlobalTables
import io.eddyline.spark.ui.{ClausesReported, GlobalTableRefreshed, ReportedClause}

/**
 * Adds the tab "Eddyline" to the UI of an application, and posts the events that it shows: what
 * became of the clauses of each batch query that succeeds, and refreshes of global tables.
 */
object QueryReports extends Logging {

  /** For each application whether it has the tab. */
  private val applications = new PerApplication[Boolean]

  /** Adds the tab, unless it is switched off. Only the first call for an application does so. */
  def start(context: SparkContext): Unit = applications.of(context) {
    val hasTab = context.getConf.getBoolean(EddylineConf.UI_ENABLED.key, defaultValue = true) &&
      tryAttach(EddylineUi.attach(context))
    if (hasTab) {
      GlobalTables.listen(context)((table, started, error) =>
        EddylineUi.post(context,
          GlobalTableRefreshed(
            table.id.shortName, table.current.map(_.name), table.current.flatMap(_.rows),
            table.current.flatMap(_.bytes), started, System.currentTimeMillis - started, error)))
      context.addSparkListener(new BatchQueryListener(report(context, _, _, _)))
    }
    hasTab
  }

  /** Runs code that adds a tab; false if Spark's UI lacks a class or method that it needs. */
  private[report] def tryAttach(tab: => Boolean): Boolean =
    try tab
    catch {
      case changed: LinkageError =>
        logWarning("This Spark has another UI than eddyline knows, so there is no tab Eddyline.",
          changed)
        false
    }

  /** Posts what became of the clauses of a query that ended at `time`, in ms since the epoch. */
  private def report(context: SparkContext, id: Long, time: Long, plan: SparkPlan): Unit =
    try {
      val found = PlanReport.of(plan)
      if (found.exists(PlanReport.isOfClause)) {
        val clauses = FindingRows.of(found, Redaction.text(plan.conf, _)).map { row =>
          ReportedClause(part = row.getString(0), subject = row.getString(1),
            outcome = row.getString(2), reason = Option(row.getString(3)),
            details = row.getString(4))
        }
        EddylineUi.post(context, ClausesReported(id, time, clauses))
      }
    } catch {
      case NonFatal(e) => logWarning(s"The clauses of query $id are not in the UI", e)
    }
}
