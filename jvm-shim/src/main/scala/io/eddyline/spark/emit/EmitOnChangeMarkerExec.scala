package io.eddyline.spark.emit

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import io.eddyline.spark.EddylineErrors

/**
 * Marks the aggregation over which EMIT ON CHANGE stands, until [[InsertEmit]] puts
 * [[EmitOnChangeExec]] in the place of both.
 *
 * @param clause where the user wrote EMIT
 */
case class EmitOnChangeMarkerExec(compared: Seq[Attribute], clause: Origin, child: SparkPlan)
  extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  /** Never reached: running the aggregation alone would be plain Update mode. */
  override protected def doExecute(): RDD[InternalRow] = throw unexpected(child)

  def unexpected(plan: SparkPlan): Throwable = EddylineErrors.analysis(
    "EDDYLINE_EMIT.UNEXPECTED_PLAN", Map("plan" -> plan.nodeName), clause)

  override protected def withNewChildInternal(newChild: SparkPlan): EmitOnChangeMarkerExec =
    copy(child = newChild)
}
