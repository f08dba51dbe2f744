package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.execution.metric.SQLMetric
import org.scalatest.funsuite.AnyFunSuite

class PartialAggregationsSuite extends AnyFunSuite {

  /** Micro-batches of an operator, each with the rows that it had for a group. */
  private class Run(least: Int = 3) {
    private val decision = new PartialAggregations
    private var batch = -1L

    /** Returns whether the next micro-batch aggregates before the shuffle; then it has counted. */
    def next(rowsOfGroup: Double, groups: Int = 100): Boolean = {
      batch += 1
      val isUsed = decision.decide(batch, least)
      val rows = (rowsOfGroup * groups).toLong
      decision.count(GroupCounts(Seq(metric(rows / 2), metric(rows - rows / 2)), metric(groups)))
      isUsed
    }

    private def metric(value: Long): SQLMetric = {
      val metric = new SQLMetric("sum", 0)
      metric.add(value)
      metric
    }
  }

  test("the first micro-batch has shown nothing") {
    assert(!new PartialAggregations().decide(0, 3))
  }

  test("from three rows of a group on, rows are aggregated before the shuffle") {
    val run = new Run
    assert(Seq(2.9, 3.0, 5.0, 2.0, 1.9).map(run.next(_)) == Seq(false, false, true, true, true))
    assert(!run.next(9), "one row was made of less than two")
  }

  test("it is tried again after ten micro-batches") {
    val run = new Run
    assert(Seq(9.0, 1.0).map(run.next(_)) == Seq(false, true))
    assert(Seq.fill(9)(9.0).map(run.next(_)).forall(!_))
    assert(run.next(9))
  }

  test("buffers of objects must reduce more") {
    val run = new Run(least = 10)
    assert(Seq(9.9, 10.0, 9.0).map(run.next(_)) == Seq(false, false, true))
  }

  test("a micro-batch without rows shows nothing") {
    val run = new Run
    assert(!run.next(3))
    assert(run.next(0, groups = 0))
    assert(run.next(3))
  }
}
