package io.eddyline.spark.globaltable.refresh

import java.nio.file.Files
import java.time.Duration
import java.util.concurrent.CompletableFuture

import scala.collection.mutable
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkConf
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.base.EddylineConf
import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}
import io.eddyline.spark.globaltable.replica.Replicas
import io.eddyline.spark.globaltable.version.{TableReader, Version}

class GlobalTableSuite extends AnyFunSuite {

  test("failures of several threads are all counted") {
    val table = new GlobalTable(TableId(Seq("g"), ""), GlobalTableOptions(), new NoServices)
    val error = new IllegalStateException
    val writers = Seq.fill(4)(CompletableFuture.runAsync(() =>
        for (_ <- 1 to 20000) table.failed(error)))
    writers.foreach(_.get())
    assert(table.counts.failures === 80000)
  }

  test("a statement that waits for a refresh can be cancelled") {
    val table = new GlobalTable(TableId(Seq("g"), ""), GlobalTableOptions(), new NoServices)
    val ended = new CompletableFuture[Boolean]
    table.withRefreshPaused {
      val statement = new Thread(() =>
        ended.complete(
          try {
            table.withRefreshPaused(())
            false
          } catch { case _: InterruptedException => true }))
      statement.setDaemon(true)
      statement.start()
      statement.interrupt()
      statement.join(10000)
      assert(ended.getNow(false))
    }
  }

  /** Records which tables have turns. */
  private class Turns extends Refresher {
    val tables = mutable.Set.empty[Refreshable]
    override def schedule(table: Refreshable): Unit = tables += table
    override def forget(table: Refreshable): Unit = tables -= table
  }

  test("a first query that is interrupted once the table is loaded leaves it its turns") {
    val turns = new Turns
    val folder = Files.createTempDirectory("snapshots").toString
    val conf =
      new SparkConf(false).set(EddylineConf.GLOBAL_TABLE_SNAPSHOT_LOCATION.key, folder)
    val table = new GlobalTable(TableId(Seq("g"), ""), GlobalTableOptions(),
      new NoServices(conf) {
        override private[globaltable] def refresher = turns
        override private[globaltable] val hadoopConf = new Configuration
        override private[globaltable] def refreshed(
            table: TableReader, started: Long, error: Option[String]): Unit = ()
        override private[globaltable] val barrier = new RefreshBarrier {
          override def refresh[T](body: => T): T = {
            Try(body) // which takes the newest snapshot, as there is no source
            throw new InterruptedException
          }
        }
      })
    table.snapshots.publish { draft =>
      draft.getFileSystem(new Configuration).mkdirs(draft)
      Some(Version("", 0, "a"))
    }
    intercept[InterruptedException](table.version())
    assert(table.current.isDefined && turns.tables === Set(table))
  }

  test("an idle table that was dropped has no more turns, although a statement has them begin") {
    val turns = new Turns
    val conf = new SparkConf(false).set(EddylineConf.GLOBAL_TABLE_IDLE_TIMEOUT.key, "0ms")
    val dropped = new GlobalTable(TableId(Seq("g"), ""), GlobalTableOptions(),
      new NoServices(conf) {
        override private[globaltable] def refresher = turns
        override private[globaltable] val replicas = new Replicas(_ => ???, Duration.ZERO, false)
        override private[globaltable] def forget(id: TableId): Unit = () // DROP has done it
      }) {
      override private[refresh] def isThere: Option[Boolean] = Some(false)
    }
    turns.schedule(dropped)
    Thread.sleep(2) // since its last use
    dropped.runOnce()
    assert(turns.tables.isEmpty)
  }
}
