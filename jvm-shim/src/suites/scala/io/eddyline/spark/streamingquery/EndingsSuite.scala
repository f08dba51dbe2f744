package io.eddyline.spark.streamingquery

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}

import org.scalatest.funsuite.AnyFunSuite

class EndingsSuite extends AnyFunSuite {

  test("what does not end keeps nothing else, and is ended once") {
    val (stuck, other) = (new CountDownLatch(1), new CountDownLatch(1))
    val ends = ConcurrentHashMap.newKeySet[String]
    val endings = new Endings[String](identity)({
      case "stuck" =>
        assert(ends.add("stuck"))
        stuck.await()
      case _ => other.countDown()
    })
    try {
      assert(endings.begin(Seq("stuck")) == Seq("stuck"))
      assert(endings.begin(Seq("stuck", "other")) == Seq("other"))
      other.await()
      assert(endings.isEnding("stuck"))
    } finally stuck.countDown()
  }
}
