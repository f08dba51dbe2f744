package org.apache.spark.ui.eddyline

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.internal.config.EVENT_LOG_ENABLED
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.status.{AppHistoryServerPlugin, ElementTrackingStore}
import org.apache.spark.ui.SparkUI

import io.eddyline.spark.base.EddylineConf
import io.eddyline.spark.ui.{StatusListener, StatusStore, UiOfSpark}

/** Adds the tab to the UI of an application. */
object EddylineUi {

  /**
   * Adds the tab and the listener that fills it, if the application has a UI.
   *
   * @return whether someone reads the events: the tab, or the event log
   */
  def attach(context: SparkContext): Boolean = {
    context.ui.foreach { ui =>
      val store = context.statusStore.store
      context.listenerBus.addToStatusQueue(new StatusListener(store, retained(context.conf)))
      new EddylineTab(new StatusStore(store), ui)
    }
    context.ui.isDefined || context.conf.get(EVENT_LOG_ENABLED)
  }

  private[eddyline] def retained(conf: SparkConf): Int =
    conf.getInt(EddylineConf.UI_RETAINED.key, EddylineConf.UI_RETAINED.defaultValue.get)

  /** Posts an event to the listeners of the application and to its event log. */
  def post(context: SparkContext, event: SparkListenerEvent): Unit = context.listenerBus.post(event)
}

/** Adds the tab to the applications of a History Server that has the jar on its class path. */
class EddylineHistoryPlugin extends AppHistoryServerPlugin {
  override def createListeners(
      conf: SparkConf, store: ElementTrackingStore): Seq[SparkListener] =
    Seq(new StatusListener(store, EddylineUi.retained(conf)))

  override def setupUI(ui: SparkUI): Unit = UiOfSpark.isPresent {
    val store = new StatusStore(ui.store.store)
    if (!store.isEmpty) new EddylineTab(store, ui)
    !store.isEmpty
  }
}
