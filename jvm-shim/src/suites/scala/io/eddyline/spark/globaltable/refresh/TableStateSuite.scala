package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}
import io.eddyline.spark.globaltable.version.{RefreshCounts, Version}

class TableStateSuite extends AnyFunSuite {
  private val seed = Random.nextLong()

  test("counts, error, age and status follow from random refreshes") {
    val random = new Random(seed)
    val bound = 1000L
    var state = TableState(
      GlobalTableOptions(maxStaleness = Some(Duration.ofMillis(bound))), lastUse = 0)
    var (now, refreshes, failures, isFailing) = (0L, 0, 0, false)
    var confirmed = Option.empty[Long]
    for (step <- 1 to 2000) withClue(s"seed $seed, step $step: ") {
      now += random.nextInt(1500)
      random.nextInt(3) match {
        case 0 =>
          state = state.failed(new IllegalStateException(s"$step"))
          failures += 1
          isFailing = true
        case 1 =>
          state = state.refreshed(Version(s"$step", step, ""), now).succeeded(Some(now))
          refreshes += 1
          isFailing = false
          confirmed = Some(now)
        case 2 =>
      }
      val later = now + random.nextInt(1500)
      val isStale = !confirmed.exists(later - _ <= bound)
      assert(state.counts === RefreshCounts(refreshes, failures))
      assert(state.error.isDefined === isFailing && state.backoff.isDefined === isFailing)
      assert(state.age(later) === confirmed.map(later - _))
      assert(state.isStale(later) === isStale)
      val expected =
        if (confirmed.isEmpty && !isFailing) TableStatus.Loading
        else if (isStale) TableStatus.Stale
        else if (isFailing) TableStatus.Failing
        else TableStatus.Ok
      assert(state.status(later) === expected)
    }
  }

  test("tasks of real-time mode have no limit where nothing confirms a version meanwhile") {
    val options = GlobalTableOptions(maxStaleness = Some(Duration.ofSeconds(1)))
    val id = TableId(Seq("t"), "")
    assert(TableState(options, lastUse = 0).limit(id, now = 0).isDefined)
    assert(TableState(options.copy(refresh = None), lastUse = 0).limit(id, now = 0).isEmpty)
  }

  test("a table that was dropped says so, whatever else it is") {
    val loaded = TableState(GlobalTableOptions(), lastUse = 0, version = Some(Version("1", 1, "")))
    val suspended = loaded.copy(isSuspended = true)
    assert(suspended.status(0) === TableStatus.Suspended)
    val failing = suspended.failed(new IllegalStateException)
    assert(failing.status(0) === TableStatus.Failing)
    assert(failing.copy(isDropped = true).status(0) === TableStatus.Dropped)
  }
}
