package io.eddyline.spark.globaltable.refresh

import java.util.concurrent.CompletableFuture

import org.scalatest.funsuite.AnyFunSuite

class RefreshLogSuite extends AnyFunSuite {

  test("failures of several threads are all counted") {
    val log = new RefreshLog
    val error = new IllegalStateException
    val writers = Seq.fill(4)(CompletableFuture.runAsync(() =>
        for (_ <- 1 to 20000) log.failed(error)))
    writers.foreach(_.get())
    assert(log.counts.failures === 80000)
  }
}
