package io.eddyline.spark.streamingquery

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}

import org.scalatest.funsuite.AnyFunSuite

class AtOnceSuite extends AnyFunSuite {

  test("what hangs keeps nothing else, and is begun once") {
    val (stuck, other) = (new CountDownLatch(1), new CountDownLatch(1))
    val begun = ConcurrentHashMap.newKeySet[String]
    val ends = new AtOnce[String](identity)({
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
    val ends = new AtOnce[String](identity)({
      case "b" => throw new IllegalStateException
      case name => done.add(name): Unit
    })
    ends.await(names)
    assert(done.size == 2 && !names.exists(ends.isRunning))
  }

  test("one that hangs is interrupted") {
    val ended = new CountDownLatch(1)
    val ends = new AtOnce[String](identity)(_ =>
      try new CountDownLatch(1).await()
      catch { case _: InterruptedException => ended.countDown() })
    ends.begin(Seq("stuck"))
    ends.interrupt()
    ended.await()
  }
}
