package io.eddyline.spark.globaltable.refresh

import java.util.concurrent.CompletableFuture

import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}

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
}
