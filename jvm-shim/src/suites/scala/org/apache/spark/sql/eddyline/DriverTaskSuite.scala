package org.apache.spark.sql.eddyline

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.TaskContext
import org.scalatest.funsuite.AnyFunSuite

class DriverTaskSuite extends AnyFunSuite {
  test("an interrupt of the caller ends the wait, and the task can see it") {
    val (begun, ended) = (new CountDownLatch(1), new CountDownLatch(1))
    val caller = new Thread(() =>
      intercept[InterruptedException](DriverTask("task") {
        begun.countDown()
        while (!TaskContext.get().isInterrupted()) Thread.sleep(1)
        ended.countDown()
      }): Unit)
    caller.start()
    begun.await()
    caller.interrupt()
    caller.join()
    assert(ended.await(5, TimeUnit.MINUTES))
  }
}
