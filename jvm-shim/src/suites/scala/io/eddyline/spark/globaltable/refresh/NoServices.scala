package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkConf
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.globaltable.catalog.{GlobalRelation, TableId}
import io.eddyline.spark.globaltable.replica.Replicas
import io.eddyline.spark.globaltable.version.TableReader

/** What a global table has around it, of which a test gives only what it needs. */
class NoServices(conf: SparkConf = new SparkConf(false)) extends RefreshContext {
  override private[globaltable] val barrier = new RefreshBarrier
  override private[globaltable] val settings = new GlobalTableSettings(conf)
  override private[globaltable] def replicas: Replicas = ???
  override private[globaltable] def refresher: Refresher = ???
  override private[globaltable] def forget(id: TableId): Unit = ???
  override private[globaltable] def refreshed(
      table: TableReader, started: Long, error: Option[String]): Unit = ???
  override private[globaltable] val hadoopConf = new Configuration(false)
  override def session: SparkSession = ???
  override private[globaltable] def session(id: TableId): SparkSession = ???
  override def table(relation: GlobalRelation): TableReader = ???
}
