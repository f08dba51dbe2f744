package org.apache.spark.rpc.eddyline

import java.io.IOException

import scala.collection.mutable

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.BroadcastVersions.{Reply, StalenessLimit}
import org.scalatest.funsuite.AnyFunSuite

class LiveBroadcastFetchesSuite extends AnyFunSuite {
  private val (a, b) = (1L, 2L)

  /** A broadcast whose value is fetched by `fetch`. */
  private class Fetched(fetch: => String) extends Broadcast[Any](0) {
    override protected def getValue(): Any = fetch
    override protected def doUnpersist(blocking: Boolean): Unit = ()
    override protected def doDestroy(blocking: Boolean): Unit = ()
  }

  /** Two live broadcasts, and the fetches that have begun, which a test ends. */
  private class Values {
    val begun = mutable.Queue.empty[Runnable]
    private val byId = Seq(a, b).map { id =>
      id -> new LiveBroadcast(new LiveBroadcast.Version(0, "old"))
    }.toMap
    private val fetches = new LiveBroadcastFetches(begun += _)

    /** Takes an answer of the driver: versions 1, and limits of so many ms for both. */
    def take(left: Long, asked: Long)(newer: (Long, Broadcast[Any])*): Unit = {
      val limits = byId.map { case (id, _) => id -> StalenessLimit(left, 1000L, 0L, PARAMETERS) }
      val found = newer.map { case (id, base) => id -> (Option(1L -> base), Nil, 1L) }
      val reply = Reply(found.toMap, limits, Set.empty)
      fetches.start(byId, reply, asked)
    }

    def newest(id: Long): Any = byId(id).newest.value

    def isStale(id: Long): Boolean =
      try newest(id) == null
      catch { case e: Throwable if e.getMessage.contains("EDDYLINE_GLOBAL_TABLE.STALE") => true }
  }

  private val PARAMETERS = Seq("table", "version", "setDeadline", "error").map(_ -> "-").toMap
  private val HOUR = 3600L * 1000

  test("what has no newer version, or has been fetched, waits for no fetch of another value") {
    val values = new Values
    values.take(HOUR, System.nanoTime())(a -> new Fetched("a1"), b -> new Fetched("b1"))
    val Seq(first, second) = values.begun.toSeq
    second.run()
    assert(values.newest(a) === "old" && values.newest(b) === "b1")
    values.take(left = 0, System.nanoTime())(a -> new Fetched("a2"))
    assert(values.begun.size === 2, "a value is fetched once at a time")
    assert(values.isStale(b) && !values.isStale(a))
    first.run()
    assert(values.newest(a) === "a1")
  }

  test("a fetch that fails is tried again, and keeps no other from its value") {
    val values = new Values
    val gone = new Fetched(throw new IOException("gone"))
    values.take(HOUR, System.nanoTime())(a -> gone, b -> new Fetched("b1"))
    values.begun.dequeueAll(_ => true).foreach(_.run())
    assert(values.newest(a) === "old" && values.newest(b) === "b1")
    values.take(HOUR, System.nanoTime())(a -> new Fetched("a1"))
    values.begun.dequeue().run()
    assert(values.newest(a) === "a1")
  }

  test("the limit of a fetch that has taken long does not replace that of a later question") {
    val values = new Values
    val before = System.nanoTime()
    values.take(left = 0, before)(a -> new Fetched("a1"))
    values.take(HOUR, System.nanoTime())()
    values.begun.dequeue().run()
    assert(values.newest(a) === "a1")
  }
}
