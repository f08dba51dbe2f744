package io.eddyline.spark.emit.clause

import java.time.Duration

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression, Unevaluable}
import org.apache.spark.sql.types.{DataType, TimestampType}

/**
 * HEARTBEAT: an unchanged row is emitted again once its last emission is as old as the interval.
 *
 * @param child CURRENT_TIMESTAMP, which Spark replaces by the time of the micro-batch. That time is
 *              in the offset log, so a replayed micro-batch has the same
 */
case class Heartbeat(child: Expression, interval: Duration)
  extends UnaryExpression with Unevaluable {

  /**
   * True, although CURRENT_TIMESTAMP is not deterministic: Spark refuses such expressions in nodes
   * that it does not know. EMIT evaluates it once for all rows.
   */
  override lazy val deterministic: Boolean = true

  override def dataType: DataType = TimestampType

  /** The time of the micro-batch, in microseconds since the epoch. */
  def batchTime: Long = child.eval().asInstanceOf[Long]

  override protected def withNewChildInternal(newChild: Expression): Heartbeat =
    copy(child = newChild)
}
