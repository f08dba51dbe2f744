package io.eddyline.spark.ui.live

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListenerEvent
import org.apache.spark.ui.eddyline.EddylineUi

import io.eddyline.spark.base.{EddylineConf, PerApplication}
import io.eddyline.spark.globaltable.refresh.GlobalTables
import io.eddyline.spark.ui.{GlobalTableRefreshed, UiOfSpark}

/** The tab of a running application, and the events that fill it. */
object LiveUi {

  /** Whether someone reads an application's events: the tab, or the event log. */
  private val applications = new PerApplication[Boolean]

  /**
   * Adds the tab to an application at the first call.
   *
   * @param onFirst what else to do then if someone reads the events
   */
  def attach(context: SparkContext)(onFirst: => Unit): Unit = applications.of(context) {
    val conf = context.getConf
    val isRead = conf.getBoolean(EddylineConf.UI_ENABLED.key, defaultValue = true) &&
      UiOfSpark.isPresent(EddylineUi.attach(context))
    if (isRead) {
      GlobalTables.listen(context)((table, started, error) =>
        EddylineUi.post(context,
          GlobalTableRefreshed(
            table.id.shortName, table.current.map(_.name), table.current.flatMap(_.rows),
            table.current.flatMap(_.bytes), started, System.currentTimeMillis - started, error)))
      onFirst
    }
    isRead
  }

  /** Posts an event if someone reads it. */
  def post(context: SparkContext, event: => SparkListenerEvent): Unit =
    if (applications.find(context).contains(true)) EddylineUi.post(context, event)
}
