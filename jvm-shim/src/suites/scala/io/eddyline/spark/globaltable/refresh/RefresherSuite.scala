package io.eddyline.spark.globaltable.refresh

import java.time.Duration
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.funsuite.AnyFunSuite

class RefresherSuite extends AnyFunSuite {

  private class Table(work: => Unit, probe: => Turn = Turn.Copy) extends Refreshable {
    val (ticks, copies) = (new AtomicInteger, new AtomicInteger)
    override private[globaltable] def tick(): Turn = { ticks.incrementAndGet(); probe }
    override private[globaltable] def copy(): Unit = { copies.incrementAndGet(); work }
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

  /**
   * Checks that a table which is forgotten during a turn has no further one.
   *
   * @param copies the number of its copies
   * @param waiting returns the table that waits in the turn
   */
  private def isTheLastTurn(copies: Int)(waiting: (() => Unit) => Table): Unit = {
    val (begun, forgotten) = (new CountDownLatch(1), new CountDownLatch(1))
    val dropped = waiting { () => begun.countDown(); forgotten.await() }
    refreshing { refresher =>
      refresher.schedule(dropped)
      assert(isReached(begun))
      refresher.forget(dropped)
      forgotten.countDown()
      val later = new CountDownLatch(20)
      refresher.schedule(new Table(later.countDown()))
      assert(isReached(later))
      assert((dropped.ticks.get, dropped.copies.get) == (1, copies))
    }
  }

  test("a table that is forgotten during a copy has no further turn") {
    isTheLastTurn(copies = 1)(await => new Table(await()))
  }

  for (turn <- Seq(Turn.Again, Turn.Copy)) {
    test(s"a table that is forgotten during a probe has no further turn; it would be $turn") {
      isTheLastTurn(copies = 0)(await => new Table((), { await(); turn }))
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
