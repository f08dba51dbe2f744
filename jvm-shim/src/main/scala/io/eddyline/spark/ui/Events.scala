package io.eddyline.spark.ui

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.scheduler.SparkListenerEvent

import io.eddyline.spark.base.Json

/** An event for the tab of a running application, which Spark does not write to the event log. */
sealed trait TabEvent extends SparkListenerEvent {
  override def logEvent: Boolean = false
}

/**
 * A refresh of a global table that made a version, failed, or confirmed one after a failure.
 *
 * @param version the version in use after it; None before the first load
 * @param rows rows of this version; None if unknown
 * @param bytes bytes of its snapshot
 * @param started when the refresh began, in ms since the epoch
 * @param duration how long it took, in ms
 * @param error why it failed, without secrets; None if it did not
 */
case class GlobalTableRefreshed(
    table: String,
    version: Option[String],
    rows: Option[Long],
    bytes: Option[Long],
    started: Long,
    duration: Long,
    error: Option[String])
  extends TabEvent

/**
 * What became of the clauses of a query that has run.
 *
 * @param executionId number of the query in the tab SQL
 * @param time when the query ended, in ms since the epoch
 */
case class ClausesReported(executionId: Long, time: Long, clauses: Seq[ReportedClause])
  extends TabEvent

/**
 * A row of EXPLAIN CLAUSES.
 *
 * @param details a JSON object of all its fields
 */
case class ReportedClause(
    part: String, subject: String, outcome: String, reason: Option[String], details: String) {

  /** The fields of `details` that have a value and are not in the other parameters. */
  def facts: Seq[(String, String)] = {
    val shown = Set("outcome", "reason", "table", "relation", "operator", "clause")
    Try(Json.mapper.readTree(details)).toOption.toSeq.flatMap(_.properties.asScala).collect {
      case field if !shown(field.getKey) && !field.getValue.isNull =>
        field.getKey -> field.getValue.asText
    }
  }
}
