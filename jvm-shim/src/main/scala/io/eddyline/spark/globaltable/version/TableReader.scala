package io.eddyline.spark.globaltable.version

import java.time.Duration

import org.apache.spark.rpc.eddyline.BroadcastVersions
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}

/** What a plan that reads a global table needs to know of it. */
private[spark] trait TableReader {
  def id: TableId

  def options: GlobalTableOptions

  /** The version that queries get now; None before the first load. */
  def current: Option[Version]

  /** Milliseconds since the start of the last probe that confirmed the version; None: never. */
  def age: Option[Long]

  /** The error of the last refresh, without secrets; None if it succeeded. */
  def lastError: Option[String]

  def counts: RefreshCounts

  /** Whether a query gets the current version without a probe of the source. */
  private[globaltable] def isReady: Boolean

  /** Notes that a task uses the table, so its probes go on; begins one if it will be stale soon. */
  private[globaltable] def noteUse(): Unit

  /** Sends to running tasks what the current version lacks, as far as the driver knows it. */
  private[globaltable] def send(): Unit

  /** The number of a version's last change; None: it has none, or the driver does not know it. */
  private[globaltable] def numberOf(version: Version): Option[Long]

  /** How long tasks may still use the current version; None: without a limit. */
  private[globaltable] def limit: Option[BroadcastVersions.StalenessLimit]

  /** Returns the version for a query; loads the table first. Errors: DROPPED, NOT_LOADED, STALE. */
  def version(): Version

  /**
   * Returns the version for a global table that reads this one, and when it was last confirmed, in
   * ms since the epoch; None: never. Errors: DROPPED, NOT_LOADED, STALE.
   *
   * @param bound the MAX STALENESS of the table that reads this one
   */
  private[globaltable] def confirmed(bound: Option[Duration]): (Version, Option[Long])

  /** Returns the plan that reads a version; None: the current one. Errors: VERSION_GONE. */
  private[globaltable] def read(
      version: Option[Version], output: Seq[AttributeReference], session: SparkSession): LogicalPlan

  /** Returns a plan with the rows of a version; None: the driver does not have them in memory. */
  private[globaltable] def driverRows(
      version: Version, output: Seq[AttributeReference]): Option[LogicalPlan]

  /**
   * Returns the base of a version that is stored as changes of another one, and a plan that reads
   * these changes: the columns `output`, and [[ChangedRelation.deleted]]. None: the version has all
   * rows itself. Errors: EDDYLINE_GLOBAL_TABLE.VERSION_GONE.
   */
  private[globaltable] def changes(
      version: Version,
      output: Seq[AttributeReference],
      session: SparkSession): Option[(Version, LogicalPlan)]
}
