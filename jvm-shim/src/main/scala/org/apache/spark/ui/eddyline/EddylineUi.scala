package org.apache.spark.ui.eddyline

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListenerEvent
import org.apache.spark.ui.{SparkUI, SparkUITab}

import io.eddyline.spark.base.EddylineConf
import io.eddyline.spark.ui.StatusListener

/** The tab "Eddyline" of the UI of an application. */
object EddylineUi {

  /**
   * Adds the tab and the listener that fills it, if the application has a UI.
   *
   * @return whether it has one
   */
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
