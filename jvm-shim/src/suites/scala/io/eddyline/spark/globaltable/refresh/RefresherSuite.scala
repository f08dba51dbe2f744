package io.eddyline.spark.globaltable.refresh

import java.time.Duration
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.funsuite.AnyFunSuite

class RefresherSuite extends AnyFunSuite {

  private class Table(work: => Unit) extends Refreshable {
    val ticks = new AtomicInteger
    override private[globaltable] def tick(): Turn = { ticks.incrementAndGet(); Turn.Copy }
    override private[globaltable] def copy(): Unit = work
    override private[globaltable] def nextTick: Duration = Duration.ZERO
    override private[globaltable] def failed(error: Throwable): Unit = ()
  }

  private def refreshing(check: Refresher => Unit): Unit = {
    val refresher = new Refresher
    try check(refresher)
    finally refresher.stop()
  }

  private def isReached(latch: CountDownLatch): Boolean = latch.await(5, TimeUnit.MINUTES)

  test("a table is refreshed while the copies of four others hang") {
    val (hanging, never, copied) =
      (new CountDownLatch(4), new CountDownLatch(1), new CountDownLatch(3))
    refreshing { refresher =>
      for (_ <- 1 to 4) refresher.schedule(new Table({ hanging.countDown(); never.await() }))
      assert(isReached(hanging))
      refresher.schedule(new Table(copied.countDown()))
      assert(isReached(copied))
    }
  }

  test("a table that is forgotten during a copy has no further turn") {
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
      assert(dropped.ticks.get == 1)
    }
  }

  test("a table that is forgotten during a probe has no further turn") {
    for (turn <- Seq(Turn.Again, Turn.Copy)) {
      val (begun, forgotten) = (new CountDownLatch(1), new CountDownLatch(1))
      val dropped = new Table(()) {
        override private[globaltable] def tick(): Turn = {
          ticks.incrementAndGet()
          begun.countDown()
          forgotten.await()
          turn
        }
        override private[globaltable] def copy(): Unit = ticks.incrementAndGet()
      }
      refreshing { refresher =>
        refresher.schedule(dropped)
        assert(isReached(begun))
        refresher.forget(dropped)
        forgotten.countDown()
        val later = new CountDownLatch(20)
        refresher.schedule(new Table(later.countDown()))
        assert(isReached(later))
        assert(dropped.ticks.get == 1)
      }
    }
  }

  test("a copy that fails, even without memory, is followed by another turn") {
    val copied = new CountDownLatch(2)
    refreshing { refresher =>
      refresher.schedule(new Table({ copied.countDown(); throw new OutOfMemoryError("none") }))
      assert(isReached(copied))
    }
  }
}
