package io.eddyline.spark.globaltable.catalog

import java.time.Duration

import org.apache.spark.sql.catalyst.trees.Origin

/**
 * The clauses of a CREATE or ALTER statement; None: the clause is absent.
 *
 * @param latestBy Some(None): ON DUPLICATE KEY FAIL
 * @param refresh Some(None): REFRESH MANUAL
 * @param staleWait Some(None): ON STALE FAIL
 * @param properties the properties that the user set
 * @param keyPlaces position of each primary key column in the statement, for errors
 * @param latestByPlace position of the LATEST BY expression, for errors
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
