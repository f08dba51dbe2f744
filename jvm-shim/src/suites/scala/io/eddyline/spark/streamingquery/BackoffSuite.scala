package io.eddyline.spark.streamingquery

import java.util.concurrent.TimeUnit.SECONDS

import org.scalatest.funsuite.AnyFunSuite

class BackoffSuite extends AnyFunSuite {
  private var now = 0L

  private def backoff(limit: Int) = new Backoff(limit, () => now)

  /** The seconds, counted from now, in which a query is started that always fails at once. */
  private def starts(backoff: Backoff): Seq[Int] = (0 until 400).filter { _ =>
    val isDue = backoff.isDue
    if (isDue) backoff.attempt()
    now += SECONDS.toNanos(1)
    isDue
  }

  test("a query that cannot start is started again as often as the limit says") {
    assert(starts(backoff(0)) == Seq(0))
    assert(starts(backoff(3)) == Seq(0, 1, 3, 7))
    assert(starts(backoff(9)) == Seq(0, 1, 3, 7, 15, 31, 63, 123, 183, 243))
  }

  test("a query that has run is started again at once, and as often as the limit says") {
    val (none, three) = (backoff(0), backoff(3))
    Seq(none, three).foreach { backoff =>
      backoff.attempt()
      backoff.succeeded()
    }
    now += SECONDS.toNanos(9)
    assert(starts(none).isEmpty)
    assert(starts(three) == Seq(0, 2, 6))
  }

  test("a query that something else has ended is started again at once, whatever the limit") {
    val none = backoff(0)
    none.attempt()
    none.succeeded()
    none.reset()
    assert(starts(none) == Seq(0))
  }
}
