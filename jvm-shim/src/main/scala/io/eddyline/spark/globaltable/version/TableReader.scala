package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}

/** How often a table got a new version, and how often an attempt failed. */
case class RefreshCounts(refreshes: Long, failures: Long)

/** A global table, as far as the plans that read it know it. */
private[spark] trait TableReader {
  def id: TableId

  def options: GlobalTableOptions

  /** What queries get now; None before the first load. */
  def current: Option[Version]

  /** Milliseconds since the start of the last look at the source that confirmed the version. */
  def age: Option[Long]

  /** The error of the last refresh, without secrets, if it failed. */
  def lastError: Option[String]

  def counts: RefreshCounts

  /** The version that a query gets. Raises what is wrong with the table. */
  def version(): Version

  /** The plan that reads a version. Errors: EDDYLINE_GLOBAL_TABLE.VERSION_GONE. */
  private[globaltable] def read(
      version: Option[Version],
      output: Seq[AttributeReference],
      session: SparkSession): LogicalPlan
}
