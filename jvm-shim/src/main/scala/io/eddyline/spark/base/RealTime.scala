package io.eddyline.spark.base

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec

/** Real-time mode, in which a micro-batch lasts long and each row is answered when it comes. */
object RealTime {

  /** An operator that answers each row before it asks for the next one. */
  trait Operator { self: SparkPlan => }

  def reads(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[RealTimeStreamScanExec])
}
