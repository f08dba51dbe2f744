package io.eddyline.spark.emit.keyed

import org.scalatest.funsuite.AnyFunSuite

class EarliestTimeSuite extends AnyFunSuite {

  private def of(times: Long*): EarliestTime = {
    val earliest = new EarliestTime
    times.foreach(earliest.add)
    earliest
  }

  test("the earliest time wins, in whatever order tasks report") {
    assert(of(30, 10, 20).value == 10)
    val merged = of(20)
    merged.merge(of(10))
    merged.merge(of())
    merged.merge(of(30))
    assert(merged.value == 10)
  }

  test("a copy for a task begins at zero and leaves the driver's value alone") {
    val onDriver = of(10)
    val ofTask = onDriver.copyAndReset().asInstanceOf[EarliestTime]
    assert(ofTask.isZero && !onDriver.isZero)
    ofTask.add(5)
    assert(onDriver.value == 10 && onDriver.copy().value == 10)
  }
}
