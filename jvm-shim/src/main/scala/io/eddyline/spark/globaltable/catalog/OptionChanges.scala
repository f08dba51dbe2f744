package io.eddyline.spark.globaltable.catalog

import java.time.Duration

import org.apache.spark.sql.catalyst.trees.Origin

/**
 * The clauses of a CREATE or ALTER; None: not written.
 *
 * @param latestBy Some(None): ON DUPLICATE KEY FAIL
 * @param refresh Some(None): REFRESH MANUAL
 * @param staleWait Some(None): ON STALE FAIL
 * @param properties of the user's own
 * @param keyPlaces of the columns of the primary key, for errors
 * @param latestByPlace of the expression, for errors
 */
case class OptionChanges(
    primaryKey: Option[Seq[String]],
    latestBy: Option[Option[String]],
    refresh: Option[Option[Duration]],
    maxStaleness: Option[Duration],
    staleWait: Option[Option[Duration]],
    maxRows: Option[Long],
    maxBytes: Option[Long],
    comment: Option[String],
    properties: Map[String, String],
    keyPlaces: Map[String, Origin],
    latestByPlace: Origin) {

  def applyTo(options: GlobalTableOptions): GlobalTableOptions = GlobalTableOptions(
    primaryKey.getOrElse(options.primaryKey),
    latestBy.getOrElse(options.latestBy),
    refresh.getOrElse(options.refresh),
    maxStaleness.orElse(options.maxStaleness),
    staleWait.getOrElse(options.staleWait),
    maxRows.getOrElse(options.maxRows),
    maxBytes.getOrElse(options.maxBytes))
}
