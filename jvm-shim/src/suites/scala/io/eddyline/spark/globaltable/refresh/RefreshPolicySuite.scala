package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.GlobalTableOptions

class RefreshPolicySuite extends AnyFunSuite {
  EddylineErrors.register()
  private val seed = Random.nextLong()
  private val idle = Duration.ofMinutes(10)
  private val policy = new RefreshPolicy(idle)

  private def every(ms: Long): TableState =
    TableState(GlobalTableOptions(refresh = Some(Duration.ofMillis(ms))), lastUse = 1000)

  private def failed(state: TableState, times: Int): TableState =
    (1 to times).foldLeft(state)((found, _) => found.failed(new IllegalStateException))

  test("turns of a healthy table are REFRESH EVERY apart, however long one takes") {
    for (interval <- Seq(100L, 10000L); took <- Seq(0L, 50L, 100L, 99999L)) {
      val next = policy.nextTurn(every(interval).copy(lastProbe = 5000), 5000 + took)
      assert(next.toMillis === (interval - took).max(0))
    }
  }

  test("the wait after an inconclusive probe lies between 100 ms and 1 s") {
    val random = new Random(seed)
    for (_ <- 1 to 200) withClue(s"seed $seed: ") {
      val table = failed(every(1 + random.nextInt(100000)), random.nextInt(3))
      val next = policy.nextTurn(table.copy(isWaiting = true), random.nextInt(100000)).toMillis
      assert(next >= 100 && next <= 1000)
    }
  }

  test("the wait after failures doubles up to 30 s, but while a job overwrites the source") {
    val table = every(1000)
    val waits = (1 to 12).map(times => policy.nextTurn(failed(table, times), 1000).toMillis)
    assert(waits === (0 to 11).map(doublings => (100L << doublings).min(30000L)))
    val written = EddylineErrors.analysis(TableState.NOT_COMMITTED, Map("table" -> "g"))
    assert(policy.nextTurn(failed(table, 11).failed(written), 1000).toMillis === 1000)
    val healed = failed(table, 3).succeeded(Some(1000)).copy(lastProbe = 1000)
    assert(policy.nextTurn(healed, 1000).toMillis === 1000)
  }

  test("a table that is not probed has a turn each idle timeout") {
    val manual = TableState(GlobalTableOptions(refresh = None), lastUse = 1000)
    val others = Seq(every(1000).copy(isSuspended = true), every(1000).copy(isReplaced = true))
    for (table <- Seq(manual, failed(manual, 2)) ++ others) {
      assert(policy.nextTurn(table, 99999) === idle)
    }
  }

  test("a table is idle when no query has used it for longer than the timeout") {
    assert(!policy.isIdle(every(1000), 1000 + idle.toMillis))
    assert(policy.isIdle(every(1000), 1001 + idle.toMillis))
  }
}
