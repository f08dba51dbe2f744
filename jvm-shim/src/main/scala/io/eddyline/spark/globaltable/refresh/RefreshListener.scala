package io.eddyline.spark.globaltable.refresh

import io.eddyline.spark.globaltable.version.TableReader

/** Is told of refreshes. */
trait RefreshListener {

  /**
   * A refresh has made a version, which is the current one now, or has failed.
   *
   * @param started when it began, in ms since the epoch
   * @param error why it failed, without secrets; None if it has made a version
   */
  def refreshed(table: TableReader, started: Long, error: Option[String]): Unit
}
