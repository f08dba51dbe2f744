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

  /** A task that gets a live broadcast, whose first version it fetches. */
  private def getInTask(id: Long)(fetch: => Unit): Future[LiveBroadcast] = {
    val task: Callable[LiveBroadcast] =
      () => LiveBroadcastPoller.get(id, 0, new Fetched(() => fetch))
    tasks.submit(task)
  }

  test("tasks that fetch a value at the same time get one") {
    for (id <- 1L to 100L) {
      val all = new CyclicBarrier(TASKS) // each has seen that none has it yet
      val values = Seq.fill(TASKS)(getInTask(id)(all.await(): Unit)).map(_.get)
      assert(values.forall(_ eq values.head), id)
    }
  }

  test("a value whose fetch hangs keeps no other from being used") {
    val (begun, end) = (new CountDownLatch(1), new CountDownLatch(1))
    val slow = getInTask(-1) {
      begun.countDown()
      end.await()
    }
    begun.await()
    try assert(getInTask(-2)(()).get.newest.value === "value")
    finally end.countDown()
    slow.get
  }
}
