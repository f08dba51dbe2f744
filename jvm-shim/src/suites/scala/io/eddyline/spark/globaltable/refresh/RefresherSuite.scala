package io.eddyline.spark.globaltable.refresh

import java.time.Duration
import java.util.concurrent.{CountDownLatch, ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.PrivateMethodTester
import org.scalatest.funsuite.AnyFunSuite

class RefresherSuite extends AnyFunSuite with PrivateMethodTester {

  private class Table(turn: => Unit, pace: Duration = Duration.ZERO) extends Refreshable {
    val turns = new AtomicInteger
    override private[globaltable] def runOnce(): Unit = { turns.incrementAndGet(); turn }
    override private[globaltable] def nextTurn: Duration = pace
    override private[globaltable] def failed(error: Throwable): Unit = ()
  }

  private def refreshing(check: Refresher => Unit): Unit = {
    val refresher = new Refresher
    try check(refresher)
    finally refresher.stop()
  }

  private def isReached(latch: CountDownLatch): Boolean = latch.await(5, TimeUnit.MINUTES)

  test("a table gets its turns while a hundred others hang") {
    val (hanging, never, later) =
      (new CountDownLatch(100), new CountDownLatch(1), new CountDownLatch(3))
    refreshing { refresher =>
      for (_ <- 1 to 100) refresher.schedule(new Table({ hanging.countDown(); never.await() }))
      assert(isReached(hanging))
      refresher.schedule(new Table(later.countDown()))
      assert(isReached(later))
    }
  }

  test("no more than eight turns build replicas at the same time, and a statement waits for none") {
    val (building, most, never) = (new CountDownLatch(8), new AtomicInteger, new CountDownLatch(1))
    refreshing { refresher =>
      def build(): Unit = refresher.building {
        most.incrementAndGet()
        building.countDown()
        never.await()
      }
      for (_ <- 1 to 20) refresher.schedule(new Table(build()))
      assert(isReached(building))
      assert(refresher.building("built") === "built")
      assert(most.get === 8)
    }
  }

  test("a table has one turn at a time, however often it is scheduled meanwhile") {
    val (begun, ended) = (new CountDownLatch(1), new CountDownLatch(1))
    val busy = new Table({ begun.countDown(); ended.await() })
    refreshing { refresher =>
      refresher.schedule(busy)
      assert(isReached(begun))
      for (_ <- 1 to 50) refresher.scheduleNow(busy)
      val later = new CountDownLatch(20)
      refresher.schedule(new Table(later.countDown()))
      assert(isReached(later))
      assert(busy.turns.get === 1)
    }
  }

  test("a table that is forgotten during a turn has no further one") {
    val (begun, forgotten) = (new CountDownLatch(1), new CountDownLatch(1))
    val dropped = new Table({ begun.countDown(); forgotten.await() })
    refreshing { refresher =>
      refresher.schedule(dropped)
      assert(isReached(begun))
      refresher.forget(dropped)
      forgotten.countDown()
      val later = new CountDownLatch(20)
      refresher.schedule(new Table(later.countDown()))
      assert(isReached(later))
      assert(dropped.turns.get === 1)
    }
  }

  test("a turn that fails, even without memory, is followed by another one") {
    val begun = new CountDownLatch(2)
    refreshing { refresher =>
      refresher.schedule(new Table({ begun.countDown(); throw new OutOfMemoryError("none") }))
      assert(isReached(begun))
    }
  }

  test("a turn that begins although it was replaced leaves one timer for the table") {
    val ended = new CountDownLatch(2)
    val table = new Table(ended.countDown(), Duration.ofHours(1))
    refreshing { refresher =>
      val timer = refresher invokePrivate PrivateMethod[ScheduledThreadPoolExecutor](
        Symbol("timer"))()
      refresher.schedule(table)
      refresher invokePrivate PrivateMethod[Unit](Symbol("begin"))(table) // it was cancelled late
      refresher.scheduleNow(table)
      while (table.turns.get < 1 || timer.getQueue.isEmpty) Thread.sleep(1)
      refresher.scheduleNow(table)
      assert(isReached(ended))
      while (timer.getQueue.isEmpty) Thread.sleep(1)
      assert(timer.getQueue.size === 1)
    }
  }
}
