package io.eddyline.spark.globaltable.refresh

import scala.util.Random

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.globaltable.refresh.Decision._
import io.eddyline.spark.globaltable.version._

class RefreshDecisionSuite extends AnyFunSuite {
  private val root = new Path("/t")
  private val source = new SimulatedSource(new Random(0), marks = true)

  private def file(job: Int, modified: Long = 10, of: Int = 0): SourceFile = {
    val name = f"p=$of/part-00000-$job%08x-0000-0000-0000-000000000000.c000"
    SourceFile(new Path(root, name), 1, modified)(null)
  }

  private def probe(at: Long, folder: FolderListing): Probe =
    Probe(at, FileListing(Map(root -> folder)))

  private val one = FolderListing(Set(file(1)), committed = Some(20))
  private val taken = probe(100, one)

  /** The decisions about a source of which a probe has found the last version. */
  private def after(taken: Probe): RefreshDecision = {
    val last = Version("1", 1, source.fingerprint(taken).get, rows = Some(5), successMarkers = 1)
    RefreshDecision(source, Some(last), ProbeHistory(Some(taken)), isAtOnce = false,
      waited = 0)
  }

  private val usual = after(taken)

  test("an unchanged source is kept, however often it is probed") {
    for (at <- Seq(200, 5000)) {
      val now = probe(at, one)
      assert(usual.of(now) === ((Keep(now), ProbeHistory(Some(now)))))
    }
  }

  test("what a job has committed is copied at once") {
    val now = probe(200, FolderListing(one.files + file(2, 110), Some(120)))
    assert(usual.of(now)._1 === Copy(now))
  }

  test("files of a job that has not committed wait, and the version is confirmed meanwhile") {
    val running = FolderListing(one.files + file(2, 110), Some(20), writing = true)
    val (decision, history) = usual.of(probe(200, running))
    assert(decision === Keep(probe(200, one.copy(writing = true))))
    assert(history.open.contains(probe(200, running)))
    val later = usual.copy(history = history).of(probe(900, running))._1
    assert(later === Keep(probe(200, one.copy(writing = true))))
  }

  test("an overwrite waits for its job, and is given up after a while") {
    val running = FolderListing(Set.empty, writing = true)
    assert(usual.of(probe(200, running))._1 === Wait(Some(RefreshDecision.POLL_MS)))
    assert(usual.copy(waited = 1001).of(probe(2000, running))._1 === GiveUp)
    val now = probe(3000, FolderListing(Set(file(2, 2500)), Some(2600)))
    assert(usual.of(now)._1 === Copy(now))
  }

  test("REFRESH copies an unchanged source, and takes files for complete once it has waited") {
    val refresh = usual.copy(isAtOnce = true)
    assert(refresh.of(taken)._1 === Copy(taken))
    val running = probe(2000, FolderListing(Set(file(2)), writing = true))
    assert(refresh.of(running)._1 === Wait(Some(RefreshDecision.POLL_MS)))
    val more = probe(2000, FolderListing(one.files + file(2), Some(5), writing = true))
    assert(refresh.copy(waited = 1001).of(more)._1 === Copy(more))
    assert(refresh.copy(waited = 9000).of(running)._1 === Wait(Some(RefreshDecision.POLL_MS)))
    assert(refresh.copy(waited = 10001).of(running)._1 === Copy(running))
  }

  test("files without _SUCCESS are copied when two probes see them unchanged") {
    val bare = FolderListing(one.files)
    val more = FolderListing(one.files + file(2, 150))
    val first = after(probe(100, bare))
    val (found, history) = first.of(probe(200, more))
    assert(found === Wait(None))
    val second = first.copy(history = history)
    assert(second.of(probe(250, more))._1 === Wait(None), "too soon")
    assert(second.of(probe(300, more))._1 === Copy(probe(200, more)))
    val grown = FolderListing(one.files + file(2, 290))
    assert(second.of(probe(300, grown))._1 === Keep(probe(200, bare)), "it is still written")
  }

  test("files that are gone without _SUCCESS were deleted, if two probes miss the same ones") {
    val first = after(probe(100, FolderListing(Set(file(1), file(2)))))
    val fewer = FolderListing(Set(file(1)))
    val (found, history) = first.of(probe(200, fewer))
    assert(found === Wait(None) && history.missingSince === Some(200L))
    assert(first.copy(history = history).of(probe(300, fewer))._1 === Copy(probe(200, fewer)))
  }

  test("a folder that became empty counts once a job has committed since, or after a while") {
    val start = FolderListing(Set(file(1), file(2, of = 1)), committed = Some(20))
    val emptied = start.copy(files = Set(file(1)))
    val first = after(probe(100, start))
    val next = emptied.copy(files = emptied.files + file(3, 110), committed = Some(120))
    val (unsure, seen) = first.of(probe(200, next))
    assert(unsure === Wait(None), "the overwrite of the folder may just have begun")
    val running = probe(300, next.copy(writing = true))
    val (wait, still) = first.copy(history = seen).of(running)
    assert(wait === Wait(Some(RefreshDecision.POLL_MS)))
    val second = first.copy(history = still)
    assert(second.of(probe(400, next))._1 === Wait(None))
    assert(second.of(probe(3200, next))._1 === Copy(probe(3200, next)))
    val more = probe(400, next.copy(files = next.files + file(4, 330), committed = Some(340)))
    assert(second.of(more)._1 === Copy(more))
    val filled = probe(3200, next.copy(files = next.files + file(2, 310, of = 1)))
    assert(second.of(filled)._1 === Wait(None), "it was an overwrite, and may be the next one")
  }

  test("a copy counts only if its files are still there, and their jobs wrote no more") {
    def isUnchanged(now: FolderListing) = usual.isUnchanged(taken, probe(300, now))
    assert(isUnchanged(one))
    assert(isUnchanged(one.copy(files = one.files + file(2, 250))))
    assert(!isUnchanged(one.copy(files = Set(file(2, 250)))))
  }
}
