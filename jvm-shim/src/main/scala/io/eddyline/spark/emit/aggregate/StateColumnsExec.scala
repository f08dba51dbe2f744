package io.eddyline.spark.emit.aggregate

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Gives Spark's stateful operators the columns of the state during planning. It never runs. */
case class StateColumnsExec(columns: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {

  override def output: Seq[Attribute] = columns

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def producedAttributes: AttributeSet = AttributeSet(columns)

  override protected def doExecute(): RDD[InternalRow] = throw StateColumnsExec.notReplaced(this)

  override protected def withNewChildInternal(newChild: SparkPlan): StateColumnsExec =
    copy(child = newChild)
}

object StateColumnsExec {

  /** Returns the error about a plan in which these operators were not replaced. */
  private[emit] def notReplaced(plan: SparkPlan): Throwable =
    new IllegalStateException(s"EMIT ON CHANGE KEY was not put into the plan:\n$plan")
}
