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

  private val evaluate: InternalRow => UnsafeRow =
    conversion.overState(state).fold(stepByStep)(atOnce)

  /** Returns the result of a row, or null if HAVING rejects it. */
  def result(row: InternalRow): UnsafeRow = evaluate(row)

  private def atOnce(expressions: ResultExpressions): InternalRow => UnsafeRow = {
    val having = expressions.having.reduceOption(And).map(predicate(_, expressions.input))
    val project = projection(expressions.columns, expressions.input)
    row => if (having.forall(_.eval(row))) project(row) else null
  }

  /** Computes the result of the aggregation, and then what stands above it, one after the other. */
  private def stepByStep: InternalRow => UnsafeRow = {
    val finish = conversion.finishing.ofDeclarativeBuffers(state).fold(ofBuffers) {
      case (values, input) =>
        val project = projection(values, input)
        row => project(row)
    }
    val steps: Seq[UnsafeRow => UnsafeRow] = conversion.steps.map {
      case ResultStep.Projection(list, input) =>
        val project = projection(list, input)
        row => project(row)
      case ResultStep.Selection(condition, input) =>
        val passes = predicate(condition, input)
        row => if (passes.eval(row)) row else null
    }
    row => steps.foldLeft(finish(row))((result, step) => if (result == null) null else step(result))
  }

  private def projection(list: Seq[Expression], input: Seq[Attribute]): UnsafeProjection = {
    val project = UnsafeProjection.create(list, input)
    project.initialize(partition)
    project
  }

  private def predicate(condition: Expression, input: Seq[Attribute]): BasePredicate = {
    val passes = Predicate.create(condition, input)
    passes.initialize(partition)
    passes
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
