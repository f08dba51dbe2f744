package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.globaltable.catalog.{GlobalRelation, TableId}
import io.eddyline.spark.globaltable.replica.Replicas
import io.eddyline.spark.globaltable.version.TableReader

/** The services of the application that the refresh of a global table uses. */
private[globaltable] trait RefreshContext {
  private[globaltable] def settings: GlobalTableSettings
  private[globaltable] def replicas: Replicas
  private[globaltable] def refresher: Refresher
  private[globaltable] def barrier: RefreshBarrier

  /** Forgets a table and its replicas; the next query that reads it begins with its snapshots. */
  private[globaltable] def forget(id: TableId): Unit

  /** Tells the application's listener that a refresh has made a version or failed. */
  private[globaltable] def refreshed(table: TableReader, started: Long, error: Option[String]): Unit

  private[globaltable] def hadoopConf: Configuration

  /** The session in which this thread refreshes; it reads the sources and no versions. */
  def session: SparkSession

  /** The session with the settings that a table is stored with. Errors: those of its catalog. */
  private[globaltable] def session(id: TableId): SparkSession

  /** Returns another global table, which the source of this one reads. */
  def table(relation: GlobalRelation): TableReader
}
