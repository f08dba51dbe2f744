package io.eddyline.spark.emit.aggregate

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric

import io.eddyline.spark.base.ChangeTypes
import io.eddyline.spark.emit.clause.ChangeType

/**
 * Reports the changes of results of one task, whose columns include that of WITH CHANGE TYPE.
 *
 * @param output the columns of a result
 * @param changeType WITH CHANGE TYPE; None if only results are reported, and none that is gone
 * @param metric the operator's metrics by name
 */
private[emit] class ResultChanges(
    output: Seq[Attribute], changeType: Option[ChangeType], metric: String => SQLMetric) {
  private val rows = changeType.map { _ =>
    def typed = new TypedRows(output, output.init) // a result has the type of an insert
    (typed, typed)
  }
  private val reportsBefore = changeType.exists(_.before)
  private val deletes = changeType.map(_ => metric(EmitMetrics.DELETES))

  /**
   * Reports a change.
   *
   * @param before the result before it, or null
   * @param after the result after it, or null
   */
  def report(before: UnsafeRow, after: UnsafeRow, emit: UnsafeRow => Unit): Unit = rows match {
    case None => if (after != null) emit(after)
    case Some((ofBefore, ofAfter)) =>
      if (before == null) {
        if (after != null) emit(after)
      } else if (after == null) {
        deletes.foreach(_ += 1)
        emit(ofBefore(before, ChangeTypes.DELETE))
      } else {
        if (reportsBefore) emit(ofBefore(before, ChangeTypes.PREIMAGE))
        emit(ofAfter(after, ChangeTypes.POSTIMAGE))
      }
  }
}
