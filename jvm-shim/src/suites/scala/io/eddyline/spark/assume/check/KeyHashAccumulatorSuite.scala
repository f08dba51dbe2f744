package io.eddyline.spark.assume.check

import org.scalatest.funsuite.AnyFunSuite

class KeyHashAccumulatorSuite extends AnyFunSuite {

  private def accumulator(limit: Int): KeyHashAccumulator =
    new KeyHashAccumulator(new DuplicateKeyFinder(limit))

  private def shown(accumulator: KeyHashAccumulator): Map[Int, Option[Seq[Long]]] =
    accumulator.value.map { case (unit, hashes) => unit -> hashes.map(_.toSeq) }

  test("a task that runs twice counts once") {
    val keys = accumulator(limit = 4)
    (1 to 3).foreach(_ => keys.add(0 -> Some(Array(1L, 2L))))
    keys.add(1 -> Some(Array(3L, 4L)))
    assert(shown(keys) == Map(0 -> Some(Seq(1L, 2L)), 1 -> Some(Seq(3L, 4L))))
  }

  test("beyond the limit all hashes are given up, and the units are remembered") {
    val keys = accumulator(limit = 3)
    keys.add(0 -> Some(Array(1L, 2L)))
    keys.add(1 -> Some(Array(3L, 4L)))
    assert(shown(keys) == Map(0 -> None, 1 -> None))
  }

  test("what tasks have collected is merged under one limit") {
    val (driver, task) = (accumulator(limit = 3), accumulator(limit = 3))
    driver.add(0 -> Some(Array(1L, 2L)))
    task.add(1 -> Some(Array(3L)))
    driver.merge(task)
    assert(shown(driver).values.forall(_.isDefined))
    val more = accumulator(limit = 3)
    more.add(2 -> Some(Array(5L)))
    driver.merge(more)
    assert(shown(driver) == Map(0 -> None, 1 -> None, 2 -> None))
  }

  test("a copy counts what it was copied from") {
    val keys = accumulator(limit = 3)
    keys.add(0 -> Some(Array(1L, 2L)))
    val copied = keys.copy()
    copied.add(1 -> Some(Array(3L, 4L)))
    assert(shown(copied) == Map(0 -> None, 1 -> None))
    assert(shown(keys) == Map(0 -> Some(Seq(1L, 2L))))
    assert(keys.copyAndReset().isZero)
  }
}
