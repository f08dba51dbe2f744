package io.eddyline.spark.assume.check

import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.assume.verdict.Verdict

class DuplicateKeyFinderSuite extends AnyFunSuite {

  private def compare(limit: Int, units: (Int, Seq[Long])*): DuplicateKeyFinder.Result =
    new DuplicateKeyFinder(limit)
      .compare(units.map { case (unit, hashes) => unit -> Option(hashes.toArray) }.toMap)

  test("units that share no key hold") {
    val found = compare(10, 0 -> Seq(1L, 2L), 1 -> Seq(3L))
    assert(found.holds && found.keysRead == 3)
  }

  test("a key in two units is a conflict that names the lower unit first") {
    val found = compare(10, 5 -> Seq(1L, 2L), 3 -> Seq(4L, 2L))
    assert(found.conflict.contains(DuplicateKeyFinder.Conflict(2L, 3, 5)) && !found.holds)
  }

  test("more keys than the limit prove nothing") {
    val found = compare(3, 0 -> Seq(1L, 2L), 1 -> Seq(3L, 4L))
    assert(found.unproven.contains(Verdict.TooManyKeys(3)) && found.conflict.isEmpty)
    assert(compare(4, 0 -> Seq(1L, 2L), 1 -> Seq(3L, 4L)).holds)
  }

  test("a unit whose hashes were given up proves nothing") {
    val found = new DuplicateKeyFinder(limit = 9).compare(Map(0 -> None))
    assert(found.unproven.contains(Verdict.TooManyKeys(9)) && found.read.isEmpty)
  }
}
