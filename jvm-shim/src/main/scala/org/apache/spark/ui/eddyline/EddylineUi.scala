package org.apache.spark.ui.eddyline

import scala.xml.{Node, Text}

import jakarta.servlet.http.HttpServletRequest
import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListenerEvent
import org.apache.spark.ui.{SparkUI, SparkUITab, UIUtils, WebUIPage}
import org.apache.spark.util.Utils

import io.eddyline.spark.base.EddylineConf
import io.eddyline.spark.ui.StatusListener

/** The tab "Eddyline" of the UI of an application. */
object EddylineUi {

  /** Adds the tab and its listener if the application has a UI; returns whether it has one. */
  def attach(context: SparkContext): Boolean = {
    context.ui.foreach { ui =>
      val retained = context.conf.getInt(
        EddylineConf.UI_RETAINED.key, EddylineConf.UI_RETAINED.defaultValue.get)
      val status = new StatusListener(retained)
      context.listenerBus.addToStatusQueue(status)
      ui.attachTab(new EddylineTab(status, ui))
    }
    context.ui.isDefined
  }

  /** Posts an event to the listeners of the application. */
  def post(context: SparkContext, event: SparkListenerEvent): Unit = context.listenerBus.post(event)

  private class EddylineTab(status: StatusListener, ui: SparkUI)
    extends SparkUITab(ui, "eddyline") {
    override val name: String = "Eddyline"
    attachPage(new EddylinePage(status, this))
  }
}

/** The page of the tab: global tables, their refreshes, clauses of queries, streaming queries. */
private[eddyline] class EddylinePage(status: StatusListener, tab: SparkUITab)
  extends WebUIPage("") {

  override def render(request: HttpServletRequest): Seq[Node] = {
    val content =
      section("Global tables", "globaltables", status.globalTables,
        "Table", "Version", "Rows", "Size", "Refreshes", "Failures", "Last refresh", "Age",
        "Error")(table =>
        Seq(
          table.last.table, table.last.version.mkString, table.last.rows.mkString,
          table.last.bytes.map(Utils.bytesToString(_)).mkString,
          table.refreshes.toString, table.failures.toString,
          table.refreshed.map(UIUtils.formatDate(_)).mkString,
          table.refreshed.map(time =>
            UIUtils.formatDuration(System.currentTimeMillis - time)).mkString,
          table.last.error.mkString)) ++
        section("Refreshes", "refreshes", status.refreshes,
          "Table", "Began", "Duration", "Version", "Rows", "Size", "Error")(refresh =>
          Seq(
            refresh.table, UIUtils.formatDate(refresh.started),
            UIUtils.formatDuration(refresh.duration), refresh.version.mkString,
            refresh.rows.mkString, refresh.bytes.map(Utils.bytesToString(_)).mkString,
            refresh.error.mkString)) ++
        section(
          "Clauses", "clauses",
          status.queries.flatMap(query => query.clauses.map(query -> _)),
          "Query", "Ended", "Part", "Subject", "Outcome", "Reason", "Details") {
          case (query, clause) =>
            Seq(
              query.executionId.toString, UIUtils.formatDate(query.time),
              clause.part, clause.subject, clause.outcome, clause.reason.mkString,
              clause.facts.map { case (name, value) => s"$name=$value" }.mkString(", "))
        } ++
        section("Streaming queries", "streams", status.streams,
          "Name", "Run", "Micro-batches", "Input rows", "Emitted", "Dropped updates",
          "State rows", "State size", "Records behind", "Last micro-batch", "Its duration")(
          stream =>
            Seq(
              Option(stream.last.name).mkString, stream.last.runId.toString,
              stream.batches.toString, stream.inputRows.toString,
              stream.emitted.toString, stream.dropped.toString,
              stream.last.stateOperators.map(_.numRowsTotal).sum.toString,
              Utils.bytesToString(stream.last.stateOperators.map(_.memoryUsedBytes).sum),
              stream.behind.mkString, stream.last.timestamp,
              UIUtils.formatDuration(stream.last.batchDuration)))
    UIUtils.headerSparkPage(request, "Eddyline", content, tab)
  }

  /** Returns a heading and a table, or nothing if there are no rows. */
  private def section[T](title: String, id: String, rows: Seq[T], headers: String*)(
      cells: T => Seq[String]): Seq[Node] =
    if (rows.isEmpty) {
      Nil
    } else {
      <h4>{title} ({rows.size})</h4> ++ UIUtils.listingTable[T](
        headers,
        row => <tr>{cells(row).map(cell => <td>{Text(cell)}</td>)}</tr>,
        rows,
        id = Some(s"eddyline-$id"))
    }
}
