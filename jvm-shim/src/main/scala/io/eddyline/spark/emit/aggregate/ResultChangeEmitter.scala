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
 * Emits how results change when rows of the state of an aggregation do, in one task. A row of the
 * state that HAVING rejects has no result.
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
  private lazy val ofKeys = new StateEvaluator(partition, conversion.ofKeys, state)
  private val comparedBefore = ComparedColumns.projection(compared, output)
  private val comparedAfter = ComparedColumns.projection(compared, output)
  private val isTotal = conversion.isTotal
  private val dropped = metric(EmitMetrics.DROPPED)
  private val reported = new ChangeEmitter(
    output, if (changeType.isEmpty) output else output.init, changeType, metric)

  /**
   * Emits the result of a row that is new.
   *
   * @param again whether a result may have been emitted that the state does not know
   */
  def insert(row: UnsafeRow, again: Boolean, emit: UnsafeRow => Unit): Unit = {
    val result = after.result(row)
    if (result != null) reported.insert(result, emit)
    else if (again) reported.delete(ofKeys.result(row), emit)
  }

  /**
   * Emits what has become of the result of a row that has changed.
   *
   * @param again whether to emit the result also if it is the same, or still none
   */
  def update(old: UnsafeRow, row: UnsafeRow, again: Boolean, emit: UnsafeRow => Unit): Unit = {
    val result = after.result(row)
    if (result == null) {
      reported.delete(
        Option(before.result(old)).getOrElse(if (again) ofKeys.result(row) else null), emit)
    } else {
      val previous = before.result(old)
      if (previous == null) reported.insert(result, emit)
      else if (!again && isSame(previous, result)) dropped += 1
      else reported.update(previous, result, emit)
    }
  }

  /** Emits that the result of a row is gone. */
  def delete(old: UnsafeRow, emit: UnsafeRow => Unit): Unit =
    reported.delete(before.result(old), emit)

  /** Counts an update that has left a row as it was. */
  def drop(row: UnsafeRow): Unit = if (isTotal || before.result(row) != null) dropped += 1

  private def isSame(previous: UnsafeRow, result: UnsafeRow): Boolean =
    comparedBefore.fold(previous)(_(previous)) == comparedAfter.fold(result)(_(result))
}

/**
 * Emits the changes of one task, with their type if the query asks for it. An emitted row is valid
 * until the next change.
 *
 * @param input the columns of a row
 * @param columns those of them that stand before the type of the change
 * @param changeType WITH CHANGE TYPE; None if rows are emitted as they are, and none that is gone
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

  /** Emits the row that is gone, which is null if there was none. */
  def delete(old: => UnsafeRow, emit: UnsafeRow => Unit): Unit = if (isTyped) {
    val row = old
    if (row != null) {
      deletes += 1
      emit(before(row, ChangeTypes.DELETE))
    }
  }

  /** Gives rows the column with the type. */
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

/** Brings the compared columns of a result into a form in which equal values have equal bytes. */
private[emit] object ComparedColumns {

  /** Returns expressions over the result; maps become entries in the order of their keys. */
  def expressions(compared: Seq[Attribute]): Seq[Expression] = compared.map(CanonicalForm.ofMaps)

  /** Returns the projection to the compared columns; None if whole results can be compared. */
  def projection(compared: Seq[Attribute], result: Seq[Attribute]): Option[UnsafeProjection] = {
    val columns = expressions(compared)
    if (columns == result) None else Some(UnsafeProjection.create(columns, result))
  }
}
