package io.eddyline.spark.emit.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric

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
private[emit] class ResultChanges(
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
  private val reported = new ReportedChanges(
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
