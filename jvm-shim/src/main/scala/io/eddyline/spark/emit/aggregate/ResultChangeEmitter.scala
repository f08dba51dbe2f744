package io.eddyline.spark.emit.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.eddyline.CanonicalForm
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.eddyline.spark.base.ChangeTypes
import io.eddyline.spark.emit.clause.ChangeType

/**
 * Emits the changes of results when rows of the state of an aggregation change, in one task. A row
 * of the state that HAVING rejects has no result.
 *
 * @param state the columns of a row of the state
 * @param conversion turns a row of the state into a row of the result
 * @param output the columns of the result
 * @param compared the columns of the result that decide whether it changed
 * @param changeType WITH CHANGE TYPE, whose column is the last one of the result
 * @param metric the operator's metrics by name
 */
private[emit] class ResultChangeEmitter(
    state: Seq[Attribute],
    conversion: StateToResult,
    output: Seq[Attribute],
    compared: Seq[Attribute],
    changeType: Option[ChangeType],
    metric: String => SQLMetric) {
  private val partition = TaskContext.getPartitionId()
  private val before = new StateEvaluator(partition, conversion, state)
  private val after = new StateEvaluator(partition, conversion, state)
  private lazy val keysOnly = new StateEvaluator(partition, conversion.keysOnly, state)
  private val comparedBefore = ComparedColumns.projection(compared, output)
  private val comparedAfter = ComparedColumns.projection(compared, output)
  private val isTotal = conversion.isTotal
  private val dropped = metric(EmitMetrics.DROPPED)
  private val changeEmitter = new ChangeEmitter(
    output, if (changeType.isEmpty) output else output.init, changeType, metric)

  /**
   * Emits the result of a row that is new.
   *
   * @param reemit whether an earlier run may have emitted a result without storing it
   */
  def insert(row: UnsafeRow, reemit: Boolean, emit: UnsafeRow => Unit): Unit = {
    val result = after.result(row)
    if (result != null) changeEmitter.insert(result, emit)
    else if (reemit) changeEmitter.delete(keysOnly.result(row), emit)
  }

  /**
   * Emits the change of the result of a row that has changed.
   *
   * @param reemit whether to emit the result even if it is the same, or a delete if there is none
   */
  def update(old: UnsafeRow, row: UnsafeRow, reemit: Boolean, emit: UnsafeRow => Unit): Unit = {
    val result = after.result(row)
    if (result == null) {
      changeEmitter.delete(
        Option(before.result(old)).getOrElse(if (reemit) keysOnly.result(row) else null), emit)
    } else {
      val previous = before.result(old)
      if (previous == null) changeEmitter.insert(result, emit)
      else if (!reemit && isSame(previous, result)) dropped += 1
      else changeEmitter.update(previous, result, emit)
    }
  }

  /** Emits a delete of the result of a row. */
  def delete(old: UnsafeRow, emit: UnsafeRow => Unit): Unit =
    changeEmitter.delete(before.result(old), emit)

  /** Counts an update that has not changed a row. */
  def countDropped(row: UnsafeRow): Unit = if (isTotal || before.result(row) != null) dropped += 1

  private def isSame(previous: UnsafeRow, result: UnsafeRow): Boolean =
    comparedBefore.fold(previous)(_(previous)) == comparedAfter.fold(result)(_(result))
}

/**
 * Emits the changes of one task, with their type if the query has WITH CHANGE TYPE. An emitted row
 * is valid until the next change.
 *
 * @param input the columns of a row
 * @param columns those of them that are emitted, before the type of the change
 * @param changeType WITH CHANGE TYPE; without it rows are emitted as they are, and no deletes
 * @param metric the operator's metrics by name
 */
private[emit] class ChangeEmitter(
    input: Seq[Attribute],
    columns: Seq[Attribute],
    changeType: Option[ChangeType],
    metric: String => SQLMetric) {
  private val isTyped = changeType.nonEmpty
  private val hasBefore = changeType.exists(_.before)
  private lazy val before = new Typed
  private lazy val after = new Typed
  private lazy val deletes = metric(EmitMetrics.DELETES)

  /** Emits a row of a key that had none. */
  def insert(row: UnsafeRow, emit: UnsafeRow => Unit): Unit =
    emit(if (isTyped) after(row, ChangeTypes.INSERT) else row)

  /** Emits a row that replaces the old one. */
  def update(old: => UnsafeRow, row: UnsafeRow, emit: UnsafeRow => Unit): Unit = {
    if (hasBefore) emit(before(old, ChangeTypes.PREIMAGE))
    emit(if (isTyped) after(row, ChangeTypes.POSTIMAGE) else row)
  }

  /** Emits a delete of a row, unless the row is null. */
  def delete(old: => UnsafeRow, emit: UnsafeRow => Unit): Unit = if (isTyped) {
    val row = old
    if (row != null) {
      deletes += 1
      emit(before(row, ChangeTypes.DELETE))
    }
  }

  /** Adds the column with the type of a change to rows. */
  private class Typed {
    private val change = new GenericInternalRow(1)
    private val joined = new JoinedRow
    private val typed = {
      val column = BoundReference(input.size, StringType, nullable = false)
      UnsafeProjection.create(BindReferences.bindReferences(columns, input) :+ column)
    }

    def apply(row: UnsafeRow, of: UTF8String): UnsafeRow = {
      change.update(0, of)
      typed(joined(row, change))
    }
  }
}

/** Computes the compared columns of a result such that equal values have equal bytes. */
private[emit] object ComparedColumns {

  /** Returns expressions of the columns, in which the entries of maps are sorted by their keys. */
  def expressions(compared: Seq[Attribute]): Seq[Expression] = compared.map(CanonicalForm.ofMaps)

  /** Returns a projection to the columns; None if results can be compared as they are. */
  def projection(compared: Seq[Attribute], result: Seq[Attribute]): Option[UnsafeProjection] = {
    val columns = expressions(compared)
    if (columns == result) None else Some(UnsafeProjection.create(columns, result))
  }
}
