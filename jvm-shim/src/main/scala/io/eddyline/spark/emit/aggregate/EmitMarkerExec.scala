package io.eddyline.spark.emit.aggregate

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.emit.clause.ChangeType

/**
 * Marks the aggregation below EMIT ON CHANGE or EMIT ON UPDATE until [[InsertEmit]] replaces both
 * by [[StateAggregationExec]].
 *
 * @param compared the columns of the result that decide whether it changed; None for ON UPDATE
 * @param changeType WITH CHANGE TYPE, whose column is the last one of the result
 */
case class EmitMarkerExec(
    compared: Option[Seq[Attribute]],
    changeType: Option[ChangeType],
    child: SparkPlan)
  extends UnaryExecNode {

  def isOnUpdate: Boolean = compared.isEmpty

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  /** Always fails, because [[InsertEmit]] has not run. */
  override protected def doExecute(): RDD[InternalRow] = throw unexpected(child)

  def unexpected(plan: SparkPlan): Throwable = EddylineErrors.analysis(
    "EDDYLINE_EMIT.UNEXPECTED_PLAN", Map("plan" -> plan.nodeName), origin)

  override protected def withNewChildInternal(newChild: SparkPlan): EmitMarkerExec =
    copy(child = newChild)
}
