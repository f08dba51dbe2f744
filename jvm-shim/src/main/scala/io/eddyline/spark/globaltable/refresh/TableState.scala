package io.eddyline.spark.globaltable.refresh

import io.eddyline.spark.globaltable.catalog.GlobalTableOptions
import io.eddyline.spark.globaltable.version.Version

/**
 * What this application knows of a global table at the moment. Queries, statements and the
 * refresher read and set the fields from their own threads; no two of them change together.
 */
private[refresh] class TableState(given: GlobalTableOptions) {
  @volatile var options: GlobalTableOptions = given

  /** The version that queries get now; None before the first load. */
  @volatile var version: Option[Version] = None

  /** Whether the catalog no longer contains the table. */
  @volatile var isDropped = false

  /** Whether another table now has the name of this one, so this one never returns. */
  @volatile var isReplaced = false

  /** Whether the refresher has stopped probing, because no query used the table for a while. */
  @volatile var isSuspended = false

  /** When a query last used the table, in milliseconds since the epoch. */
  @volatile var lastUse: Long = System.currentTimeMillis

  /** When the last probe of the source began, in milliseconds since the epoch. */
  @volatile var lastProbe = 0L

  /** Whether only REFRESH GLOBAL TABLE makes a new version (REFRESH MANUAL). */
  def isManual: Boolean = options.refresh.isEmpty

  /** Whether the refresher probes; also for a dropped table, as its name may be created again. */
  def isWatched: Boolean = !isManual && !isReplaced

  def use(): Unit = lastUse = System.currentTimeMillis

  def drop(): Unit = isDropped = true

  def replace(): Unit = {
    isDropped = true
    isReplaced = true
  }
}
