package org.apache.spark.ui.eddyline

import org.apache.spark.ui.{SparkUI, SparkUITab}

import io.eddyline.spark.ui.StatusStore

/** The tab "Eddyline" of the UI of an application, or of the History Server. */
private[eddyline] class EddylineTab(store: StatusStore, ui: SparkUI)
  extends SparkUITab(ui, "eddyline") {
  override val name: String = "Eddyline"
  attachPage(new EddylinePage(store, ui.store, this))
  ui.attachTab(this)
}
