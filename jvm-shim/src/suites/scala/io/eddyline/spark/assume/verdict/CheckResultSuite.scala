package io.eddyline.spark.assume.verdict

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.assume.units.FileVersion

class CheckResultSuite extends AnyFunSuite {
  private val Seq(a, b, c) = Seq("a", "b", "c").map(FileVersion(_, 1, 1))
  private val claim = ClaimFingerprint("k INT", "parquet")

  private def result(verdict: Verdict, hashed: Set[FileVersion], files: FileVersion*): CheckResult =
    CheckResult(files.toSet, verdict, hashed.map(_ -> Array(1L, 2L)).toMap)

  private def holds(files: FileVersion*): CheckResult =
    result(Verdict.Holds, files.toSet, files: _*)

  private def violated(files: FileVersion*): CheckResult =
    result(Verdict.Violated("k", a, b), Set.empty, files: _*)

  private def memory(name: String): VerdictMemory = new VerdictMemory(Some(new Path(name)))

  test("a true claim stays true of fewer files, and of no others") {
    assert(holds(a, b).verdictOn(Set(a)).contains(Verdict.Holds))
    assert(holds(a, b).verdictOn(Set(a, c)).isEmpty)
  }

  test("a false claim stays false wherever the two files are") {
    assert(violated(a, b).verdictOn(Set(a, b, c)).isDefined)
    assert(violated(a, b, c).verdictOn(Set(a, c)).isEmpty)
    val misplaced = result(Verdict.Misplaced("k", c, 0, 1), Set.empty, a, c)
    assert(misplaced.verdictOn(Set(c)).isDefined && misplaced.verdictOn(Set(a)).isEmpty)
  }

  test("nothing follows from a check that proved nothing") {
    assert(result(Verdict.TooManyKeys(5), Set.empty, a).verdictOn(Set(a)).isEmpty)
  }

  test("a wider result takes the place of those that it implies") {
    val known = memory("wider")
    assert(known.put(claim, holds(a), maxHashes = 100) == Nil)
    assert(known.put(claim, holds(a, b), 100).map(_.files) == Seq(Set(a)))
    assert(known.put(claim, holds(b), 100) == Nil)
    assert(known.results(claim).map(_.files) == Seq(Set(a, b)))
  }

  test("what was asked last keeps its hashes when there are too many") {
    val (known, second) = (memory("limit"), claim.copy(keys = "j INT"))
    known.put(claim, holds(a), 100)
    known.put(second, holds(b), maxHashes = 2)
    assert(known.results(claim).map(_.numHashes) == Seq(0))
    assert(known.results(claim).map(_.verdict) == Seq(Verdict.Holds))
    assert(known.results(second).map(_.numHashes) == Seq(2))
  }

  test("folders do not share what their sessions trust") {
    memory("one").put(claim, holds(a), 100)
    assert(memory("two").results(claim) == Nil && new VerdictMemory(None).results(claim) == Nil)
  }
}
