package io.eddyline.spark.streamingquery

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}

import org.scalatest.funsuite.AnyFunSuite

class PerItemThreadsSuite extends AnyFunSuite {

  test("what hangs keeps nothing else, and is begun once") {
    val (stuck, other) = (new CountDownLatch(1), new CountDownLatch(1))
    val begun = ConcurrentHashMap.newKeySet[String]
    val ends = new PerItemThreads[String](identity)({
      case "stuck" =>
        assert(begun.add("stuck"))
        stuck.await()
      case _ => other.countDown()
    })
    try {
      assert(ends.begin(Seq("stuck")) == Seq("stuck"))
      assert(ends.begin(Seq("stuck", "other")) == Seq("other"))
      other.await()
      assert(ends.isRunning("stuck"))
    } finally stuck.countDown()
  }

  test("all are done when nobody waits any more, whatever their names are and if one fails") {
    val done = ConcurrentHashMap.newKeySet[String]
    val names = Seq("100%", "50% off", "b")
    val ends = new PerItemThreads[String](identity)({
      case "b" => throw new IllegalStateException
      case name => done.add(name): Unit
    })
    ends.await(names)
    assert(done.size == 2 && !names.exists(ends.isRunning))
  }

  test("at the end nothing more begins, and one that hangs is interrupted") {
    val ended = new CountDownLatch(1)
    val starts = new PerItemThreads[String](identity)(_ =>
      try new CountDownLatch(1).await()
      catch { case _: InterruptedException => ended.countDown() })
    starts.begin(Seq("stuck"))
    starts.end(patience = 1)
    ended.await()
    assert(starts.begin(Seq("late")).isEmpty)
  }

  test("at the end one that takes a while is not interrupted") {
    val (begun, done) = (new CountDownLatch(1), new CountDownLatch(1))
    val starts = new PerItemThreads[String](identity)({ _ =>
      begun.countDown()
      Thread.sleep(10)
      done.countDown()
    })
    starts.begin(Seq("slow"))
    begun.await()
    starts.end(Long.MaxValue)
    assert(done.getCount == 0)
  }
}
