package io.eddyline.spark.globaltable.refresh

import java.util.Properties
import java.util.concurrent.{CountDownLatch, Executors, Future, TimeUnit}

import org.apache.spark.scheduler._
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/** The barrier between refreshes and the starts of micro-batches, without Spark. */
class RefreshBarrierSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val threads = Executors.newCachedThreadPool()

  override protected def afterAll(): Unit = threads.shutdownNow()

  private def background(work: => Unit): Future[_] = threads.submit((() => work): Runnable)

  private def job(query: String, stage: Int): SparkListenerJobStart = {
    val info = new StageInfo(stage, 0, "", 1, Nil, Nil, "", null, Nil, None, 0)
    val properties = new Properties
    properties.setProperty("sql.streaming.queryId", query)
    SparkListenerJobStart(stage, 0, Seq(info), properties)
  }

  /** A barrier whose waits end only by what it waits for. */
  private def barrier = new RefreshBarrier(Long.MaxValue / 2000000)

  test("a refresh waits until a task of the query has begun") {
    val (barrier, done) = (this.barrier, new CountDownLatch(1))
    val query = new Thread(() => { barrier.start("q"); done.await() })
    query.start()
    awaitState(query, Thread.State.WAITING)
    val refresh = background(barrier.refresh(()))
    barrier.onJobStart(job("other", 1))
    barrier.onTaskStart(SparkListenerTaskStart(1, 0, null))
    assert(!refresh.isDone)
    barrier.onJobStart(job("q", 2))
    assert(!refresh.isDone)
    barrier.onTaskStart(SparkListenerTaskStart(2, 0, null))
    refresh.get()
    done.countDown()
  }

  test("a query waits until the refreshes have ended") {
    val (barrier, running, done) = (this.barrier, new CountDownLatch(1), new CountDownLatch(1))
    val refresh = background(barrier.refresh { running.countDown(); done.await() })
    running.await()
    val query = background(barrier.start("q"))
    Thread.`yield`()
    assert(!query.isDone)
    done.countDown()
    refresh.get()
    query.get()
  }

  test("a query that ends before its first task holds nothing") {
    val barrier = this.barrier
    val query = new Thread(() => barrier.start("q"))
    query.start()
    query.join()
    background(barrier.refresh(())).get()
  }

  test("a refresh within a refresh, and one of the query itself, wait for nothing") {
    val barrier = this.barrier
    barrier.start("q")
    assert(barrier.refresh(barrier.refresh(1)) == 1)
    barrier.onJobStart(job("q", 1))
    barrier.onTaskStart(SparkListenerTaskStart(1, 0, null))
    val (inside, started) = (new CountDownLatch(1), new CountDownLatch(1))
    val refresh =
      background(barrier.refresh { inside.countDown(); started.await(); barrier.refresh(()) })
    inside.await()
    val query = new Thread(() => barrier.start("p"))
    query.start()
    awaitState(query, Thread.State.TIMED_WAITING)
    started.countDown()
    refresh.get()
    query.join()
  }

  test("no wait is longer than the limit") {
    val barrier = new RefreshBarrier(1)
    barrier.refresh(background(barrier.start("q")).get())
    barrier.start("q")
    background(barrier.refresh(())).get()
  }

  test("a start whose task is never reported holds refreshes no longer than the limit") {
    @volatile var now = 0L
    val barrier = new RefreshBarrier(1000, () => now)
    barrier.start("q")
    now = 1000 * 1000000L
    for (_ <- 1 to 2) background(barrier.refresh(())).get(1, TimeUnit.MINUTES)
  }

  private def awaitState(thread: Thread, state: Thread.State): Unit =
    while (thread.getState != state) Thread.`yield`()
}
