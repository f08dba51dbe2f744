package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}
import io.eddyline.spark.globaltable.version.Version

/** Random histories of a source that is written all the time, as the refresher meets them. */
class SourceWatchSuite extends AnyFunSuite {
  EddylineErrors.register()
  private val seed = Random.nextLong()

  /** A table that gets turns as from the [[Refresher]]. */
  private class Table(random: Random, marks: Boolean) {
    val source = new SimulatedSource(random, marks)
    private val watch =
      new SourceWatch(TableId(Seq("g"), ""), new SimulatedSnapshots, source)
    private val policy = new RefreshPolicy(Duration.ofDays(1))
    private var state = TableState(source.options, source.now)

    def status: TableStatus = state.status(source.now)

    /** Whether the version has the rows that the last job has left. */
    def isUpToDate: Boolean = state.version.exists(number(_) == source.states.size - 1)

    def turns(number: Int): Unit = for (_ <- 1 to number) {
      source.sleep(policy.nextTurn(state, source.now).toMillis)
      request(RefreshRequest.Background)
    }

    def request(request: RefreshRequest): Option[RefreshResult] = {
      state = state.copy(lastProbe = source.now)
      val result =
        try Some(watch.advance(source, state.version, request, source.write))
        catch {
          case e: Exception if EddylineErrors.isOurs(e) =>
            state = state.failed(e)
            None
        }
      result.foreach {
        case RefreshResult.Confirmed(version, since) => confirmed(version, since.get)
        case _ =>
      }
      state = state.copy(isWaiting = watch.isWaiting)
      result
    }

    private def confirmed(version: Version, since: Long): Unit = {
      assert(number(version) >= 0, s"${version.content} is no state of the source")
      assert(number(version) >= state.version.fold(0)(number), "the version became older")
      val committed = source.states.lastIndexWhere(_._1 < since)
      assert(!marks || number(version) >= committed || source.torn(since),
        "the version is older than the probe")
      source.version = Some(version)
      if (!state.version.contains(version)) state = state.refreshed(version, source.now)
      state = state.succeeded(Some(since))
    }

    /** The number of the last state that has the rows of a version. */
    private def number(version: Version): Int =
      source.states.lastIndexWhere(_._2 == version.content.get)
  }

  private def histories(number: Int, marks: Boolean)(check: Table => Unit): Unit = {
    info(s"seed $seed")
    for (history <- 0 until number) withClue(s"seed $seed, history $history: ") {
      val table = new Table(new Random(seed + history), marks)
      table.source.isWritten = false
      table.request(RefreshRequest.User)
      table.source.isWritten = true
      check(table)
    }
  }

  for (marks <- Seq(true, false)) {
    test(s"versions are states of the source, in their order, up to the last; marks: $marks") {
      histories(500, marks) { table =>
        table.turns(40)
        table.source.isWritten = false
        table.turns(50)
        assert(table.isUpToDate && table.status === TableStatus.Ok)
        val reads = table.source.reads
        table.turns(10)
        assert(table.source.reads === reads, "nothing has changed")
      }
    }
  }

  test("a version is as old as the oldest confirmation of the tables below") {
    val source = new SimulatedSource(new Random(seed), marks = true)
    source.isWritten = false
    val watch = new SourceWatch(TableId(Seq("g"), ""), new SimulatedSnapshots, source)
    def confirmed(bases: Seq[Option[Long]], last: Option[Version]): RefreshResult.Confirmed = {
      val above = new SourceAbove(source, bases)
      watch.advance(above, last, RefreshRequest.Query, source.write)
        .asInstanceOf[RefreshResult.Confirmed]
    }
    val first = confirmed(Seq(Some(7), Some(5)), last = None)
    assert(first.since === Some(5))
    val now = source.now
    val next = confirmed(Seq(Some(now - 1)), Some(first.version))
    assert(next.version === first.version && next.since === Some(now - 1))
    assert(confirmed(Seq(Some(now), None), Some(first.version)).since === None)
    assert(confirmed(Nil, Some(first.version)).since.exists(_ >= now))
  }

  /** A source that also reads global tables, which were last confirmed at these times. */
  private class SourceAbove(below: SimulatedSource, bases: Seq[Option[Long]]) extends ProbedSource {
    override def options: GlobalTableOptions = below.options
    override def probe(): Probe = below.probe().copy(basesSince = bases)
    override def fingerprint(probe: Probe): Option[String] = below.fingerprint(probe)
    override def readsVersions: Boolean = false
    override def readsFolders: Boolean = false
    override def canMove: Boolean = false
  }

  test("REFRESH reads the state of a source, whether it has changed or not") {
    histories(50, marks = true) { table =>
      table.turns(5)
      table.source.isWritten = false
      table.source.sleep(60000)
      for (_ <- 1 to 2) {
        val reads = table.source.reads
        table.request(RefreshRequest.User)
        assert(table.source.reads > reads && table.isUpToDate)
      }
    }
  }
}
