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

  /** A table with MAX STALENESS 1 second, whose probes take up to 1.5 s and end by chance. */
  private class Table(random: Random, staleWait: Option[Duration]) {
    private val clock = new SimulatedClock
    private val begun = clock.now
    private var state = TableState(
      GlobalTableOptions(maxStaleness = Some(Duration.ofSeconds(1)), staleWait = staleWait),
      lastUse = begun, confirmed = Some(begun - random.nextInt(2000)))
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
      clock.sleep(random.nextInt(1500))
      state = random.nextInt(3) match {
        case 0 => state.succeeded(started).copy(isWaiting = false)
        case 1 => state.failed(new IllegalStateException("away")).copy(isWaiting = false)
        case 2 => state.copy(error = None, isWaiting = true)
      }
    }
  }

  private def each(staleWait: Option[Duration])(check: Table => Unit): Unit =
    for (number <- 0 until 500) withClue(s"seed $seed, table $number: ") {
      check(new Table(new Random(seed + number), staleWait))
    }

  test("MAX STALENESS is met, or STALE is raised after at most two probes") {
    each(staleWait = None) { table =>
      table.await()
      assert(table.probes <= 2)
    }
  }

  test("ON STALE WAIT probes until the version is fresh or the time is over") {
    each(staleWait = Some(Duration.ofSeconds(5))) { table =>
      assert(table.await() || table.waited >= 5000)
      assert(table.waited <= 5000 + 1500 + 100, "one probe and one pause more")
    }
  }
}
