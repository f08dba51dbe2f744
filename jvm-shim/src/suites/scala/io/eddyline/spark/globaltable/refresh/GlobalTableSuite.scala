package io.eddyline.spark.globaltable.refresh

import java.util.concurrent.CompletableFuture

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkConf
import org.apache.spark.sql.classic.SparkSession
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.globaltable.catalog.{GlobalRelation, GlobalTableOptions, TableId}
import io.eddyline.spark.globaltable.replica.Replicas
import io.eddyline.spark.globaltable.version.TableReader

class GlobalTableSuite extends AnyFunSuite {

  private object NoServices extends RefreshContext {
    override private[globaltable] val gate = new RefreshGate
    override private[globaltable] val settings = new GlobalTableSettings(new SparkConf(false))
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

  test("failures of several threads are all counted") {
    val table = new GlobalTable(TableId(Seq("g"), ""), GlobalTableOptions(), NoServices)
    val error = new IllegalStateException
    val writers = Seq.fill(4)(CompletableFuture.runAsync(() =>
        for (_ <- 1 to 20000) table.failed(error)))
    writers.foreach(_.get())
    assert(table.counts.failures === 80000)
  }
}
