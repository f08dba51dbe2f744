package io.eddyline.spark.globaltable.version

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.globaltable.version.CommittedFiles.Trust

class CommittedFilesSuite extends AnyFunSuite {
  private val root = new Path("/t")
  private val (soon, later) = (Trust(later = false, patient = false), Trust(true, patient = false))

  private def file(job: Int, part: Int, length: Long = 1, modified: Long = 10): SourceFile = {
    val id = f"$job%08x-0000-0000-0000-000000000000"
    SourceFile(new Path(root, f"part-$part%05d-$id.c000.parquet"), length, modified)(null)
  }

  private def listing(files: SourceFile*): FileListing = of(FolderListing(files.toSet))

  private def of(folder: FolderListing): FileListing = FileListing(Map(root -> folder))

  private def judged(
      first: FileListing,
      second: FileListing,
      before: Option[FileListing] = Some(listing()),
      trust: Trust = later): CommittedFiles = CommittedFiles.of(first, second, before, 0, trust)

  test("a file that grows between the probes waits for the next version") {
    val found = judged(listing(file(1, 0)), listing(file(1, 0, length = 2)))
    assert(found == CommittedFiles(Set.empty, areState = true, areWritten = false))
  }

  test("a job of which another file came between the probes waits as a whole") {
    val (one, other) = (file(1, 0), file(2, 0))
    val found = judged(listing(one, other), listing(one, file(1, 1), other))
    assert(found.files == Set(other) && found.areState)
  }

  test("files without _SUCCESS count once there was time to grow") {
    val still = listing(file(1, 0))
    assert(judged(still, still, trust = soon).files.isEmpty)
    assert(judged(still, still).files == still.files)
  }

  test("files that are older than _SUCCESS count at once, a newer job waits") {
    val (old, young) = (file(1, 0, modified = 10), file(2, 0, modified = 30))
    val committed = of(FolderListing(Set(old, young), committed = Some(20)))
    assert(judged(committed, committed, trust = soon).files == Set(old))
  }

  test("a job that is writing may commit in the millisecond of its last file") {
    def at(writing: Boolean): FileListing =
      of(FolderListing(Set(file(1, 0, modified = 20)), Some(20), writing))
    assert(judged(at(writing = false), at(writing = false), trust = soon).files.size == 1)
    assert(judged(at(writing = true), at(writing = true)).files.isEmpty)
  }

  test("files that vanish while a job writes are an overwrite and no state") {
    val before = listing(file(1, 0))
    val now = of(FolderListing(Set.empty, writing = true))
    val found = judged(now, now, Some(before))
    assert(found.areWritten && !found.areState)
    assert(judged(now, now, Some(before), later.copy(always = true)).areState)
  }

  test("files that stay away without a sign of a job were deleted for good") {
    val (before, now) = (Some(listing(file(1, 0), file(2, 0))), listing(file(1, 0)))
    val found = judged(now, now, before)
    assert(found == CommittedFiles(now.files, areState = true, areWritten = false))
    assert(!judged(now, now, before, soon).areState)
  }

  test("a folder that has lost all its files may be about to be overwritten") {
    val (before, now) = (Some(listing(file(1, 0))), listing())
    assert(!judged(now, now, before).areState)
    assert(judged(now, now, before, later.copy(patient = true)).areState)
    val committed = of(FolderListing(Set.empty, committed = Some(40)))
    assert(!judged(committed, committed, before).areState)
    assert(judged(committed, committed, before, later.copy(patient = true)).areState)
  }

  test("files that are all there do not count if _SUCCESS was removed meanwhile") {
    val committed = of(FolderListing(Set(file(1, 0)), committed = Some(40)))
    assert(judged(committed, committed).areState)
    assert(!judged(committed, listing(file(1, 0))).areState)
  }

  test("an overwrite is a state once its job has committed") {
    val before = of(FolderListing(Set(file(1, 0)), committed = Some(15)))
    def now(committed: Long) =
      of(FolderListing(Set(file(2, 0, modified = 30)), committed = Some(committed)))
    assert(judged(now(40), now(40), Some(before), soon).areState)
    assert(!judged(now(15), now(15), Some(before), soon).areState)
  }

  test("a folder that has lost its _SUCCESS since the last run is being overwritten") {
    val now = listing(file(1, 0))
    val found = CommittedFiles.of(now, now, before = None, successMarkers = 1, later)
    assert(found.areWritten && !found.areState)
    assert(CommittedFiles.of(now, now, None, successMarkers = 0, later).areState)
  }

  test("a copy counts for a file that was removed between the probes") {
    val kept = later.copy(kept = _ => true)
    val both = listing(file(1, 0), file(1, 1))
    assert(!judged(both, listing(file(1, 0))).areState)
    val found = judged(both, listing(file(1, 0)), trust = kept)
    assert(found.areState && found.files == both.files)
  }
}
