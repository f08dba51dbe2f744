package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

import io.eddyline.spark.shim.StateShim.BufferAggregationIterator

/**
 * Updates aggregation buffers by Spark's own aggregation iterator, so that every aggregate function
 * behaves as in Spark. Only its buffers are used, and not its iteration over groups.
 *
 * @param phase its aggregates update a buffer by raw rows if they are partial, and merge rows of
 *              the state into it otherwise
 * @param input the columns of a row
 */
private[emit] class RowAggregation(partition: Int, phase: AggregationPhase, input: Seq[Attribute])
  extends BufferAggregationIterator(
    partition,
    phase.groupingExpressions,
    phase.inputAttributes(input),
    phase.aggregateExpressions,
    phase.aggregateAttributes,
    phase.initialInputBufferOffset,
    phase.resultExpressions,
    (expressions, columns) =>
      MutableProjection.create(expressions.map(RowAggregation.simplified), columns)) {

  override def hasNext: Boolean = false

  override def next(): UnsafeRow = Iterator.empty.next()

  /** Returns a buffer that has seen no row. */
  def newBuffer(): InternalRow = newAggregationBuffer()

  /** Updates a buffer by a row. */
  def update(buffer: InternalRow, row: InternalRow): Unit = processRow(buffer, row)

  /** Returns the result of a buffer, which is valid until the next call. */
  def result(row: InternalRow, buffer: InternalRow): UnsafeRow =
    generateOutput(groupingProjection(row), buffer)

  /** Replaces the objects in a buffer by the bytes that the state has of them. */
  def serialize(buffer: InternalRow): Unit = aggregateFunctions.foreach {
    case function: TypedImperativeAggregate[_] => function.serializeAggregateBufferInPlace(buffer)
    case _ =>
  }
}

private object RowAggregation {

  /** Returns the update of a buffer; NoOp if a FILTER that is never true leaves it as it is. */
  private def simplified(update: Expression): Expression = update match {
    case If(Literal.FalseLiteral, _, _) => NoOp
    case other => other
  }
}

/** Computes the results of rows of the state. Each result is valid until the next call. */
private[emit] class StateEvaluator(
    partition: Int, conversion: StateToResult, state: Seq[Attribute]) {

  private val finish: InternalRow => UnsafeRow =
    conversion.finishing.ofDeclarativeBuffers(state).fold(ofBuffers)(projection)

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
  def result(row: InternalRow): UnsafeRow = {
    var result = finish(row)
    var i = 0
    while (result != null && i < steps.length) {
      result = steps(i)(result)
      i += 1
    }
    result
  }

  private def projection(
      results: (Seq[Expression], Seq[Attribute])): InternalRow => UnsafeRow = {
    val (values, input) = results
    val project = UnsafeProjection.create(values, input)
    project.initialize(partition)
    project(_)
  }

  /** Merges a row into an empty buffer, since functions over objects evaluate buffers only. */
  private def ofBuffers: InternalRow => UnsafeRow = {
    val aggregation = new RowAggregation(partition, conversion.finishing, state)
    row => {
      val buffer = aggregation.newBuffer()
      aggregation.update(buffer, row)
      aggregation.result(row, buffer)
    }
  }
}
