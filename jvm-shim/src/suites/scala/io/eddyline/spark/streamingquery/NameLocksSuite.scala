package io.eddyline.spark.streamingquery

import java.util.concurrent.{CountDownLatch, Executors}

import org.scalatest.funsuite.AnyFunSuite

class NameLocksSuite extends AnyFunSuite {

  test("a name is held by one thread, which may take it again; other names are free") {
    val locks = new NameLocks
    val (held, done) = (new CountDownLatch(1), new CountDownLatch(1))
    val other = Executors.newSingleThreadExecutor()
    val waiting = other.submit[String] { () =>
      locks.hold("Rooms") {
        held.countDown()
        locks.hold("rooms")(done.await())
      }
      "done"
    }
    held.await()
    assert(!locks.tryHold("ROOMS")(fail("another thread has it")))
    assert(!locks.isFree("ROOMS") && locks.isFree("cellars"))
    var ran = false
    assert(locks.tryHold("cellars") { ran = true } && ran)
    done.countDown()
    assert(waiting.get == "done" && locks.isFree("rooms") && locks.tryHold("rooms")(()))
    other.shutdown()
  }
}
