package io.eddyline.spark.globaltable.replica

import java.util.concurrent.{CountDownLatch, FutureTask}

import org.scalatest.funsuite.AnyFunSuite

class BuildThreadsSuite extends AnyFunSuite {

  test("no task is left for which somebody could wait forever") {
    val threads = new BuildThreads(1)
    val begun = new CountDownLatch(1)
    val running = new FutureTask[Unit](() => {
      begun.countDown()
      new CountDownLatch(1).await()
    })
    val queued, late = new FutureTask[Unit](() => ())
    assert(threads.execute(running) && threads.execute(queued))
    begun.await()
    threads.stop()
    assert(queued.isCancelled)
    assert(!threads.execute(late))
    assert(late.isCancelled)
    assert(intercept[Exception](running.get()).getCause.isInstanceOf[InterruptedException])
  }
}
