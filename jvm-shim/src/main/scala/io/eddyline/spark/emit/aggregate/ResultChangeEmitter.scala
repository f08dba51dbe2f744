package io.eddyline.spark.emit.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
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
 * @param compared the columns of the result that decide whether it changed; None if each result is
 *                 emitted
 * @param changeType WITH CHANGE TYPE, if it is given; its column is the last one of the result
 * @param metric the operator's metrics by name
 */
private[emit] class ResultChangeEmitter(
    state: Seq[Attribute],
    conversion: StateToResult,
    output: Seq[Attribute],
    compared: Option[Seq[Attribute]],
    changeType: Option[ChangeType],
    metric: String => SQLMetric) {
  private val partition = TaskContext.getPartitionId()
  // Two evaluators and projections, because a result is valid until the next one.
  private val before = new StateEvaluator(partition, conversion, state)
  private val after = new StateEvaluator(partition, conversion, state)
  // Computes the keys of rows that HAVING rejects.
  private lazy val keysOnly = new StateEvaluator(partition, conversion.keysOnly, state)
  private val comparedBefore = compared.flatMap(ComparedColumns.projection(_, output))
  private val comparedAfter = compared.flatMap(ComparedColumns.projection(_, output))
  private val hasNoHaving = conversion.hasNoHaving
  private val dropped = metric(EmitMetrics.DROPPED)
  private val changeEmitter = new ChangeEmitter(
    output, if (changeType.isEmpty) output else output.init, changeType, metric)

  /**
   * Emits the result of a row that is new.
   *
   * @param reemit whether an earlier run may have emitted a result without storing it; if the row
   *               has no result now, a delete is emitted
   */
  def insert(row: InternalRow, reemit: Boolean, emit: UnsafeRow => Unit): Unit = {
    val result = after.result(row)
    if (result != null) changeEmitter.insert(result, emit)
    else if (reemit) changeEmitter.delete(keysOnly.result(row), emit)
  }

  /**
   * Emits the change of the result of a row that has changed.
   *
   * @param reemit whether to emit the result even if it is the same, or a delete if there is none
   */
  def update(
      old: InternalRow, row: InternalRow, reemit: Boolean, emit: UnsafeRow => Unit): Unit = {
    val result = after.result(row)
    if (compared.isEmpty) {
      if (result != null) emit(result)
    } else if (result == null) {
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
  def delete(old: InternalRow, emit: UnsafeRow => Unit): Unit =
    changeEmitter.delete(before.result(old), emit)

  /**
   * Emits the result of a row that has not changed if each result is emitted. Otherwise counts the
   * dropped update, if the row has a result.
   */
  def unchanged(row: InternalRow, emit: UnsafeRow => Unit): Unit =
    if (compared.isEmpty) update(row, row, reemit = false, emit)
    else if (hasNoHaving || before.result(row) != null) dropped += 1

  private def isSame(previous: UnsafeRow, result: UnsafeRow): Boolean =
    comparedBefore.fold(previous)(_(previous)) == comparedAfter.fold(result)(_(result))
}

/**
 * Emits the changes of one task, with their type if the query has WITH CHANGE TYPE. An emitted row
 * is valid until the next change.
 *
 * @param input the columns of a row
 * @param columns the columns of the input that are emitted, followed by the type of the change
 * @param changeType WITH CHANGE TYPE; without it rows are emitted as they are, and no deletes
 * @param metric the operator's metrics by name
 */
private[emit] class ChangeEmitter(
    input: Seq[Attribute],
    columns: Seq[Attribute],
    changeType: Option[ChangeType],
    metric: String => SQLMetric) {
  private val isTyped = changeType.nonEmpty
  private val emitsOldRow = changeType.exists(_.before)
  private lazy val oldWithType = new TypeAppender
  private lazy val newWithType = new TypeAppender
  private lazy val deletes = metric(EmitMetrics.DELETES)

  /** Emits a row of a key that had none. */
  def insert(row: UnsafeRow, emit: UnsafeRow => Unit): Unit =
    emit(if (isTyped) newWithType(row, ChangeTypes.INSERT) else row)

  /** Emits a row that replaces the old one, which is computed only if it is emitted too. */
  def update(old: => UnsafeRow, row: UnsafeRow, emit: UnsafeRow => Unit): Unit = {
    if (emitsOldRow) emit(oldWithType(old, ChangeTypes.PREIMAGE))
    emit(if (isTyped) newWithType(row, ChangeTypes.POSTIMAGE) else row)
  }

  /** Emits a delete of a row, unless the row is null. */
  def delete(old: => UnsafeRow, emit: UnsafeRow => Unit): Unit = if (isTyped) {
    val row = old
    if (row != null) {
      deletes += 1
      emit(oldWithType(row, ChangeTypes.DELETE))
    }
  }

  /** Adds the column with the type of a change to rows. A row is valid until the next call. */
  private class TypeAppender {
    private val typeRow = new GenericInternalRow(1)
    private val joined = new JoinedRow
    private val projection = {
      val column = BoundReference(input.size, StringType, nullable = false)
      UnsafeProjection.create(BindReferences.bindReferences(columns, input) :+ column)
    }

    def apply(row: UnsafeRow, change: UTF8String): UnsafeRow = {
      typeRow.update(0, change)
      projection(joined(row, typeRow))
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
