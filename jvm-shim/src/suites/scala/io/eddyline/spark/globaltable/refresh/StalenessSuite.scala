package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import scala.util.{Random, Try}

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}

class StalenessSuite extends AnyFunSuite {
  EddylineErrors.register()
  private val seed = Random.nextLong()

  /** What becomes of a probe, and how many ms it takes. */
  private sealed abstract class Probe(val ms: Int)
  private case class Confirms(time: Int) extends Probe(time)
  private case class Fails(time: Int) extends Probe(time)
  private case class Waits(time: Int) extends Probe(time)

  /** Probes that take up to 1.5 s. */
  private def chance(random: Random): Iterator[Probe] = Iterator.continually {
    val ms = random.nextInt(1500)
    random.nextInt(3) match {
      case 0 => Confirms(ms)
      case 1 => Fails(ms)
      case 2 => Waits(ms)
    }
  }

  /** A table with MAX STALENESS 1 second, last confirmed `age` ms ago. */
  private class Table(age: Int, staleWait: Option[Duration], outcomes: Iterator[Probe]) {
    private val clock = new SimulatedClock
    private val begun = clock.now
    private var state = TableState(
      GlobalTableOptions(maxStaleness = Some(Duration.ofSeconds(1)), staleWait = staleWait),
      lastUse = begun, confirmed = Some(begun - age))
    private val staleness =
      new Staleness(TableId(Seq("g"), ""), clock)(() => probe(), () => probe())
    var probes = 0

    def waited: Long = clock.now - begun

    /** Waits; returns whether the version is fresh. */
    def await(): Boolean = {
      val wasStale = state.isStale(clock.now)
      val outcome = Try(staleness.awaitFresh(() => state))
      assert(wasStale || probes == 0, "a fresh version needs no probe")
      assert(outcome.isFailure === state.isStale(clock.now))
      outcome.failed.foreach {
        case e: SparkThrowable => assert(e.getCondition === "EDDYLINE_GLOBAL_TABLE.STALE")
        case e => throw e
      }
      outcome.isSuccess
    }

    private def probe(): Unit = {
      probes += 1
      val started = clock.now
      val outcome = outcomes.next()
      clock.sleep(outcome.ms)
      state = outcome match {
        case _: Confirms => state.succeeded(Some(started)).copy(isWaiting = false)
        case _: Fails =>
          state.failed(new IllegalStateException("away")).copy(isWaiting = false)
        case _: Waits => state.copy(error = None, isWaiting = true)
      }
    }
  }

  private def each(staleWait: Option[Duration])(check: Table => Unit): Unit =
    for (number <- 0 until 500) withClue(s"seed $seed, table $number: ") {
      val random = new Random(seed + number)
      check(new Table(random.nextInt(2000), staleWait, chance(random)))
    }

  test("MAX STALENESS is met, or STALE is raised after at most two probes") {
    each(staleWait = None) { table =>
      table.await()
      assert(table.probes <= 2)
    }
  }

  test("a healthy source is not stale because it is copied for longer than MAX STALENESS") {
    assert(new Table(2000, None, Iterator(Confirms(1400), Confirms(10))).await())
  }

  test("ON STALE WAIT probes until the version is fresh or the time is over") {
    each(staleWait = Some(Duration.ofSeconds(5))) { table =>
      assert(table.await() || table.waited >= 5000)
      assert(table.waited <= 5000 + 1500 + 100, "one probe and one pause more")
    }
  }
}
