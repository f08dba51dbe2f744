package io.eddyline.spark.globaltable.refresh

import java.util.Properties
import java.util.concurrent.{CountDownLatch, Executors, Future, TimeUnit}

import org.apache.spark.scheduler._
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/** The gate between refreshes and the starts of micro-batches, without Spark. */
class RefreshGateSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val threads = Executors.newCachedThreadPool()

  override protected def afterAll(): Unit = threads.shutdownNow()

  private def background(work: => Unit): Future[_] = threads.submit((() => work): Runnable)

  private def job(query: String, stage: Int): SparkListenerJobStart = {
    val info = new StageInfo(stage, 0, "", 1, Nil, Nil, "", null, Nil, None, 0)
    val properties = new Properties
    properties.setProperty("sql.streaming.queryId", query)
    SparkListenerJobStart(stage, 0, Seq(info), properties)
  }

  /** A gate whose waits end only by what it waits for. */
  private def gate = new RefreshGate(Long.MaxValue / 2000000)

  test("a refresh waits until a task of the query has begun") {
    val (gate, done) = (this.gate, new CountDownLatch(1))
    val query = new Thread(() => { gate.start("q"); done.await() })
    query.start()
    awaitState(query, Thread.State.WAITING)
    val refresh = background(gate.refresh(()))
    gate.onJobStart(job("other", 1))
    gate.onTaskStart(SparkListenerTaskStart(1, 0, null))
    assert(!refresh.isDone)
    gate.onJobStart(job("q", 2))
    assert(!refresh.isDone)
    gate.onTaskStart(SparkListenerTaskStart(2, 0, null))
    refresh.get()
    done.countDown()
  }

  test("a query waits until the refreshes have ended") {
    val (gate, running, done) = (this.gate, new CountDownLatch(1), new CountDownLatch(1))
    val refresh = background(gate.refresh { running.countDown(); done.await() })
    running.await()
    val query = background(gate.start("q"))
    Thread.`yield`()
    assert(!query.isDone)
    done.countDown()
    refresh.get()
    query.get()
  }

  test("a query that ends before its first task holds nothing") {
    val gate = this.gate
    val query = new Thread(() => gate.start("q"))
    query.start()
    query.join()
    background(gate.refresh(())).get()
  }

  test("a refresh within a refresh, and one of the query itself, wait for nothing") {
    val gate = this.gate
    gate.start("q")
    assert(gate.refresh(gate.refresh(1)) == 1)
    gate.onJobStart(job("q", 1))
    gate.onTaskStart(SparkListenerTaskStart(1, 0, null))
    val (inside, started) = (new CountDownLatch(1), new CountDownLatch(1))
    val refresh = background(gate.refresh { inside.countDown(); started.await(); gate.refresh(()) })
    inside.await()
    val query = new Thread(() => gate.start("p"))
    query.start()
    awaitState(query, Thread.State.TIMED_WAITING)
    started.countDown()
    refresh.get()
    query.join()
  }

  test("no wait is longer than the limit") {
    val gate = new RefreshGate(1)
    gate.refresh(background(gate.start("q")).get())
    gate.start("q")
    background(gate.refresh(())).get()
  }

  test("a start whose task is never reported holds refreshes no longer than the limit") {
    @volatile var now = 0L
    val gate = new RefreshGate(1000, () => now)
    gate.start("q")
    now = 1000 * 1000000L
    for (_ <- 1 to 2) background(gate.refresh(())).get(1, TimeUnit.MINUTES)
  }

  private def awaitState(thread: Thread, state: Thread.State): Unit =
    while (thread.getState != state) Thread.`yield`()
}
