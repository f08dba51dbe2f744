package io.eddyline.spark.base

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec
import org.apache.spark.sql.execution.streaming.RealTimeTrigger
import org.apache.spark.sql.streaming.Trigger

/** Real-time mode, in which a micro-batch lasts long and each row is answered when it comes. */
object RealTime {

  /** An operator that answers each row before it asks for the next one. */
  trait Operator { self: SparkPlan => }

  /** Whether a streaming query with this trigger runs in real-time mode. */
  def isTrigger(trigger: Trigger): Boolean = trigger.isInstanceOf[RealTimeTrigger]

  def reads(plan: SparkPlan): Boolean = plan.exists(isSource)

  /** Whether an operator reads a stream in real-time mode. */
  def isSource(operator: SparkPlan): Boolean = operator.isInstanceOf[RealTimeStreamScanExec]
}
