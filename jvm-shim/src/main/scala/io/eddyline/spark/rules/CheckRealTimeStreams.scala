package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

import io.eddyline.spark.base.{RealTime, RealTimeStreams}

/**
 * Refuses to start a query in real-time mode that uses a stream twice, by [[RealTimeStreams]]. It
 * runs in the batch Hints, since later plans do not have the trigger.
 */
private[rules] object CheckRealTimeStreams extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case write: WriteToStreamStatement if RealTime.isTrigger(write.trigger) =>
        RealTimeStreams.requireDistinct(write.inputQuery)
      case _ =>
    }
    plan
  }
}
