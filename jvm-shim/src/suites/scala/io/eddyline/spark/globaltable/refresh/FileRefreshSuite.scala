package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}
import io.eddyline.spark.globaltable.version.Version

/** Random histories of a source that is written all the time, as the refresher meets them. */
class FileRefreshSuite extends AnyFunSuite {
  EddylineErrors.register()
  private val seed = Random.nextLong()

  private val jobs =
    Seq(Write.Append, Write.Overwrite, Write.OverwritePartition, Write.OverwriteDynamically)

  /** A table that gets turns as from the [[Refresher]]. */
  private class Table(val source: SimulatedSource, isStrict: Boolean = true) {
    private val snapshots = new SimulatedSnapshots
    private var files = driver
    private val policy = new RefreshPolicy(Duration.ofDays(1))
    private var state = TableState(source.options, source.now)

    source.isWritten = false
    request(RefreshRequest.User)
    source.isWritten = true

    /** A driver that has only the snapshots. */
    private def driver = new FileRefresh(TableId(Seq("g"), ""), snapshots, source)

    def restart(): Unit = files = driver

    def status: TableStatus = state.status(source.now)

    /** Whether the version has the rows that the last write has left. */
    def isUpToDate: Boolean = seen == source.states.size - 1

    /** The number of the last state that has the rows of the version; -1: it is none. */
    def seen: Int = state.version.fold(0)(number)

    /** Takes turns until a moment. */
    def turnsUntil(end: Long): Unit = while (source.now < end) turn()

    def turn(): Unit = {
      source.sleep(policy.nextTurn(state, source.now).toMillis)
      request(RefreshRequest.Background)
    }

    def request(request: RefreshRequest): Unit = {
      state = state.copy(lastProbe = source.now)
      try files.advance(source, state.version, request, source.write) match {
          case RefreshResult.Confirmed(version, since) => confirmed(version, since.get)
          case RefreshResult.Undecided => state = state.copy(isWaiting = true)
        }
      catch {
        case e: java.io.FileNotFoundException => state = state.failed(e)
        case e: Exception if EddylineErrors.isOurs(e) => state = state.failed(e)
      }
    }

    private def confirmed(version: Version, since: Long): Unit = {
      if (isStrict) {
        assert(number(version) >= 0, s"${version.content} is no state of the source")
        assert(number(version) >= seen, "the version became older")
      }
      source.version = Some(version)
      if (!state.version.contains(version)) state = state.refreshed(version, source.now)
      state = state.succeeded(Some(since))
    }

    private def number(version: Version): Int =
      source.states.lastIndexWhere(_._2 == version.content.get)
  }

  private def histories(number: Int)(check: Random => Unit): Unit = {
    info(s"seed $seed")
    for (history <- 0 until number) withClue(s"seed $seed, history $history: ") {
      check(new Random(seed + history))
    }
  }

  private def every(ms: Int): GlobalTableOptions =
    GlobalTableOptions(refresh = Some(Duration.ofMillis(ms)))

  for (marks <- Seq(true, false)) {
    test(s"no version has a part of a Spark job, and the last one is seen; marks: $marks") {
      histories(150) { random =>
        val table = new Table(new SimulatedSource(random, marks, jobs,
            pause = () => random.nextInt(if (random.nextBoolean()) 50 else 3000),
            shuffle = () => random.nextInt(if (random.nextBoolean()) 50 else 9000),
            reading = () => random.nextInt(500),
            every(Seq(100, 1000, 5000)(random.nextInt(3)))))
        table.turnsUntil(table.source.now + 60000)
        table.source.isWritten = false
        table.turnsUntil(table.source.now + 60000)
        assert(table.isUpToDate && table.status === TableStatus.Ok)
        val reads = table.source.reads
        for (_ <- 1 to 10) table.turn()
        assert(table.source.reads === reads, "nothing has changed")
      }
    }
  }

  test("a driver that begins while a partition is overwritten makes no version without it") {
    histories(50) { random =>
      val table = new Table(new SimulatedSource(random, marks = random.nextBoolean(),
          Seq(Write.OverwritePartition), pause = () => random.nextInt(2000),
          shuffle = () => random.nextInt(9000), reading = () => random.nextInt(300)))
      for (_ <- 1 to 50) {
        table.source.sleep(random.nextInt(3000))
        table.restart()
        table.turn()
      }
      table.turnsUntil(table.source.now + 60000)
      assert(table.seen > 0)
    }
  }

  private val kinds = Seq(
    Seq(Write.Append), Seq(Write.Overwrite), Seq(Write.OverwriteDynamically),
    Seq(Write.OverwritePartition), Seq(Write.Append, Write.Overwrite))

  /** The longest time in ms for which a table has not shown a state that was there. */
  private def lag(table: Table, writes: Int): Long = {
    val seenAt = collection.mutable.Map.empty[Int, Long]
    while (table.source.states.size <= writes) {
      table.turn()
      (0 to table.seen).foreach(seenAt.getOrElseUpdate(_, table.source.now))
    }
    table.source.states.zipWithIndex.dropRight(4).map { case ((time, _), number) =>
      seenAt.getOrElse(number, table.source.now) - time
    }.max
  }

  for (writes <- kinds; marks <- Seq(true, false)) {
    test(s"what is written every two seconds is seen in three intervals: $writes, marks: $marks") {
      histories(30) { random =>
        val interval = Seq(100, 1000, 2000, 5000, 10000)(random.nextInt(5))
        val read = random.nextInt(700)
        val table = new Table(new SimulatedSource(random, marks, writes,
            pause = () => 1500 + random.nextInt(300), shuffle = () => random.nextInt(100),
            reading = () => read, every(interval)))
        // an interval that is shorter than a write cannot be the measure
        assert(lag(table, 40) <= 3 * interval.max(1000) + read, s"every $interval, read in $read")
      }
    }
  }

  test("files that are renamed into a folder all the time are seen in two intervals") {
    histories(30) { random =>
      val table = new Table(new SimulatedSource(random, marks = false, Seq(Write.AddFile),
          pause = () => random.nextInt(100), shuffle = () => 0,
          reading = () => random.nextInt(800)))
      assert(lag(table, 400) <= 2000 + 800)
    }
  }

  test("files that are removed now and then are seen to be gone") {
    histories(30) { random =>
      val table = new Table(new SimulatedSource(random, marks = false,
          Seq(Write.AddFile, Write.RemoveFile), pause = () => 1500 + random.nextInt(3000),
          shuffle = () => 0, reading = () => random.nextInt(500)))
      assert(lag(table, 40) <= 5000)
    }
  }

  test("a source that leaves no time to read it is said to be written") {
    histories(20) { random =>
      val table = new Table(new SimulatedSource(random, marks = true, Seq(Write.Append),
          pause = () => random.nextInt(50), shuffle = () => 0, reading = () => 2000))
      table.turnsUntil(table.source.now + 10000)
      assert(table.status === TableStatus.Failing)
      table.source.isWritten = false
      table.turnsUntil(table.source.now + 5000)
      assert(table.isUpToDate && table.status === TableStatus.Ok)
    }
  }

  test("a version is as old as the oldest confirmation of the tables below") {
    val random = new Random(seed)
    val source = new SimulatedSource(random, marks = true, jobs, () => 0, () => 0, () => 0)
    source.isWritten = false
    val files = new FileRefresh(TableId(Seq("g"), ""), new SimulatedSnapshots, source)
    def confirmed(below: Seq[Option[Long]], last: Option[Version]): RefreshResult.Confirmed =
      files.advance(new SourceAbove(source, below), last, RefreshRequest.Query, source.write)
        .asInstanceOf[RefreshResult.Confirmed]
    val first = confirmed(Seq(Some(7), Some(5)), last = None)
    assert(first.since === Some(5))
    val now = source.now
    val next = confirmed(Seq(Some(now - 1)), Some(first.version))
    assert(next.version === first.version && next.since === Some(now - 1))
    assert(confirmed(Seq(Some(now), None), Some(first.version)).since === None)
    assert(confirmed(Nil, Some(first.version)).since.exists(_ >= now))
  }

  /** A source that also reads global tables, which were last confirmed at these times. */
  private class SourceAbove(files: SimulatedSource, times: Seq[Option[Long]]) extends ProbedSource {
    override def options: GlobalTableOptions = files.options
    override def probe(): Probe = files.probe().copy(confirmations = times)
    override def relist(probe: Probe): Probe = files.relist(probe)
    override def fingerprint(probe: Probe): Option[String] = files.fingerprint(probe)
    override def readsVersions: Boolean = false
    override def readsFolders: Boolean = false
  }

  test("REFRESH reads the state of a source, whether it has changed or not") {
    histories(50) { random =>
      val table = new Table(new SimulatedSource(random, marks = random.nextBoolean(), jobs,
          () => random.nextInt(2000), () => random.nextInt(3000), () => random.nextInt(300)))
      table.turnsUntil(table.source.now + 5000)
      table.source.isWritten = false
      table.source.sleep(60000)
      for (_ <- 1 to 2) {
        val reads = table.source.reads
        table.request(RefreshRequest.User)
        assert(table.source.reads > reads && table.isUpToDate)
      }
    }
  }

  test("REFRESH waits ten seconds for a source that is written all the time, and takes it then") {
    histories(20) { random =>
      val source = new SimulatedSource(random, marks = true, Seq(Write.Append),
        pause = () => random.nextInt(50), shuffle = () => 0, reading = () => 2000)
      val table = new Table(source, isStrict = false)
      val begun = table.source.now
      table.request(RefreshRequest.User)
      assert(table.status === TableStatus.Ok)
      assert((10000L to 15000L).contains(table.source.now - begun))
    }
  }
}
