package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.globaltable.refresh.FileState._
import io.eddyline.spark.globaltable.version._

class FileHistorySuite extends AnyFunSuite {
  private val root = new Path("/t")

  private def file(job: Int, partition: Int = 0, length: Long = 1): SourceFile = {
    val name = f"p=$partition/part-00000-$job%08x-0000-0000-0000-000000000000.c000"
    SourceFile(new Path(root, name), length, 10)(null)
  }

  private def renamed(name: String): SourceFile =
    SourceFile(new Path(root, s"p=0/$name"), 1, 10)(null)

  private def listing(
      files: Set[SourceFile], successTime: Option[Long] = None, isWritten: Boolean = false) =
    FileListing(Map(root -> FolderListing(files, successTime, isWritten)))

  private val (one, other) = (file(1), file(2))

  private def after(files: Set[SourceFile], successTime: Option[Long] = None): FileHistory =
    FileHistory(Some(listing(files, successTime)))

  /** What listings say that are so many ms apart, in an interval of a second. */
  private def states(history: FileHistory, apart: Long, parents: Int = 0)(
      listings: FileListing*): Seq[FileState] =
    listings.foldLeft((history, Seq.empty[FileState])) { case ((last, found), listing) =>
      val (state, next) =
        last.next(listing, apart * found.size, 0, parents, wait = 1000, trustsMarkers = false)
      (next, found :+ state)
    }._2

  private def state(history: FileHistory, listing: FileListing, markers: Int = 0): FileState =
    history.next(listing, 0, markers, parents = 0, wait = 1000, trustsMarkers = false)._1

  test("new files are readable, with `_SUCCESS` and without") {
    assert(state(FileHistory(), listing(Set(one))) === Readable)
    assert(state(after(Set(one)), listing(Set(one, other))) === Readable)
    assert(state(after(Set(one), Some(5)), listing(Set(one, other), Some(5))) === Readable)
  }

  test("a folder with temporary files, or without the `_SUCCESS` that it had, is written") {
    assert(state(after(Set(one)), listing(Set(one, other), isWritten = true)) === Written)
    assert(state(after(Set(one), Some(5)), listing(Set(one, other))) === Written)
    assert(state(FileHistory(), listing(Set(one)), markers = 1) === Written)
  }

  test("missing files have been overwritten if there is a newer `_SUCCESS`") {
    val before = after(Set(one), Some(5))
    assert(state(before, listing(Set(other), Some(6))) === Readable)
    assert(state(before, listing(Set(other), Some(5))) === Missing)
  }

  test("missing files are gone once they have been missing for an interval") {
    val fewer = listing(Set(one))
    assert(states(after(Set(one, other)), 500)(fewer, fewer, fewer) ===
      Seq(Missing, Missing, Readable))
    val found = states(after(Set(one, other)), 600)(fewer, listing(Set(one, other)), fewer)
    assert(found === Seq(Missing, Readable, Missing), "they were there in between")
    val rewritten = listing(Set(one, file(2, length = 9)))
    assert(state(after(Set(one, other)), rewritten) === Missing)
  }

  test("an empty folder is about to be overwritten, for ten seconds, whatever others commit") {
    val before = after(Set(one, file(2, partition = 1)), Some(5))
    val emptied = listing(Set(one, file(3)), Some(6))
    assert(states(before, 5000)(emptied, emptied, emptied) === Seq(Missing, Missing, Readable))
    val filled = listing(Set(one, file(4, partition = 1)), Some(7))
    assert(states(before, 6000)(emptied, filled, emptied) === Seq(Missing, Readable, Missing))
    val other = listing(Set(file(5, partition = 1)), Some(8))
    assert(states(before, 6000)(emptied, other, emptied) === Seq(Missing, Missing, Missing))
  }

  test("a new driver knows by the number of folders that one is empty") {
    val (emptied, filled) = (listing(Set(one)), listing(Set(one, file(2, partition = 1))))
    assert(states(FileHistory(), 5000, parents = 2)(emptied, emptied, emptied) ===
      Seq(Missing, Missing, Readable))
    assert(states(FileHistory(), 5000, parents = 2)(emptied, filled) === Seq(Missing, Readable))
  }

  test("REFRESH takes it for overwritten if there is a newer `_SUCCESS`") {
    val before = after(Set(one, file(2, partition = 1)), Some(5))
    def refreshed(success: Long): FileState =
      before.next(listing(Set(one), Some(success)), 0, 0, 0, wait = 0, trustsMarkers = true)._1
    assert(refreshed(6) === Readable)
    assert(refreshed(5) === Missing)
  }

  test("a folder that has lost its `_SUCCESS` alone is known to have had one") {
    val before = after(Set(one), Some(5)).confirm(listing(Set(one)))
    assert(state(before, listing(Set.empty)) === Written)
    assert(after(Set(one)).confirm(listing(Set(one), Some(5))).published ===
      Some(listing(Set(one), Some(5))))
  }

  test("what was read is confirmed by an equal listing of which no job is writing") {
    val first = listing(Set(one, other), Some(5))
    val history = after(Set(one))
    assert(history.isConfirmed(first, first))
    assert(history.isConfirmed(first, listing(Set(one, other), Some(6))))
    assert(!history.isConfirmed(first, listing(Set(one, other))))
    assert(!history.isConfirmed(first, listing(Set(one, other), Some(5), isWritten = true)))
    assert(!history.isConfirmed(first, listing(Set(one), Some(5))))
    assert(!history.isConfirmed(first, listing(Set(one, other, file(3)), Some(5))))
  }

  test("files that no job has written may come meanwhile, unless others are missing") {
    val (first, second) = (listing(Set(one)), listing(Set(one, renamed("a.csv"))))
    assert(after(Set(one)).isConfirmed(first, second))
    assert(!after(Set(one, other)).isConfirmed(first, second))
  }
}
