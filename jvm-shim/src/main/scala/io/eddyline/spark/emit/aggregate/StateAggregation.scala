package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.expressions._

import io.eddyline.spark.shim.StateShim.BufferAggregationIterator

/**
 * Aggregates single rows of the state by Spark's own aggregation iterator, so that every aggregate
 * function behaves as in Spark. Only its buffers are used, and not its iteration over groups.
 */
private[emit] abstract class RowAggregation(
    partition: Int, phase: AggregationPhase, state: Seq[Attribute])
  extends BufferAggregationIterator(
    partition,
    phase.groupingExpressions,
    phase.inputAttributes(state),
    phase.aggregateExpressions,
    phase.aggregateAttributes,
    phase.initialInputBufferOffset,
    phase.resultExpressions,
    (expressions, input) => MutableProjection.create(expressions, input)) {

  override def hasNext: Boolean = false

  override def next(): UnsafeRow = Iterator.empty.next()
}

/** Merges two rows of the state of one key. The merged row is valid until the next call. */
private[emit] class StateMerger(partition: Int, phase: AggregationPhase, state: Seq[Attribute])
  extends RowAggregation(partition, phase, state) {

  /** Returns the merged row. The old row comes first, as functions such as `first` need it. */
  def merge(old: UnsafeRow, added: UnsafeRow): UnsafeRow = {
    val buffer = newAggregationBuffer()
    processRow(buffer, old)
    processRow(buffer, added)
    generateOutput(groupingProjection(added), buffer)
  }
}

/** Computes the results of rows of the state. Each result is valid until the next call. */
private[emit] class StateEvaluator(
    partition: Int, conversion: StateToResult, state: Seq[Attribute])
  extends RowAggregation(partition, conversion.finishing, state) {

  private val steps: Array[UnsafeRow => UnsafeRow] = conversion.steps.map {
    case ResultStep.Projection(list, input) =>
      val project = UnsafeProjection.create(list, input)
      project.initialize(partition)
      (row: UnsafeRow) => project(row)
    case ResultStep.Selection(condition, input) =>
      val passes = Predicate.create(condition, input)
      passes.initialize(partition)
      (row: UnsafeRow) => if (passes.eval(row)) row else null
  }.toArray

  /** Returns the result of a row, or null if HAVING rejects it. */
  def result(row: UnsafeRow): UnsafeRow = {
    val buffer = newAggregationBuffer()
    processRow(buffer, row)
    var result = generateOutput(groupingProjection(row), buffer)
    var i = 0
    while (result != null && i < steps.length) {
      result = steps(i)(result)
      i += 1
    }
    result
  }
}
