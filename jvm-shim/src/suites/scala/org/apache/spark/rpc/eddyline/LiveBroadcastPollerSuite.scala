package org.apache.spark.rpc.eddyline

import java.util.concurrent.{Callable, CountDownLatch, CyclicBarrier, Executors, Future}

import org.apache.spark.broadcast.Broadcast
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

class LiveBroadcastPollerSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val TASKS = 4
  private val tasks = Executors.newFixedThreadPool(TASKS)

  override protected def afterAll(): Unit = tasks.shutdownNow(): Unit

  private class Fetched(fetch: () => Unit) extends Broadcast[Any](0) {
    override protected def getValue(): Any = {
      fetch()
      "value"
    }

    override protected def doUnpersist(blocking: Boolean): Unit = ()

    override protected def doDestroy(blocking: Boolean): Unit = ()
  }

  /** A task that follows a value, which it fetches first. */
  private def follow(id: Long)(fetch: => Unit): Future[LiveBroadcast] = {
    val task: Callable[LiveBroadcast] =
      () => LiveBroadcastPoller.follow(id, 0, new Fetched(() => fetch))
    tasks.submit(task)
  }

  test("tasks that fetch a value at the same time follow one") {
    for (id <- 1L to 100L) {
      val all = new CyclicBarrier(TASKS) // each has seen that none has it yet
      val values = Seq.fill(TASKS)(follow(id)(all.await(): Unit)).map(_.get)
      assert(values.forall(_ eq values.head), id)
    }
  }

  test("a value whose fetch hangs keeps no other from being followed") {
    val (begun, end) = (new CountDownLatch(1), new CountDownLatch(1))
    val slow = follow(-1) {
      begun.countDown()
      end.await()
    }
    begun.await()
    try assert(follow(-2)(()).get.newest.value === "value")
    finally end.countDown()
    slow.get
  }
}
