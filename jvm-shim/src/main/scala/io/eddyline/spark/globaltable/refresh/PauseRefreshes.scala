package io.eddyline.spark.globaltable.refresh

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

import io.eddyline.spark.base.RealTime

/** Pauses the refreshes of global tables while a micro-batch in real-time mode starts. */
private[spark] case class PauseRefreshes(session: SparkSession) extends ColumnarRule {

  override def postColumnarTransitions: Rule[SparkPlan] = plan => {
    if (MicroBatch.isRealTime(session) && RealTime.readsStream(plan)) {
      MicroBatch.queryId(session).foreach(GlobalTables.startQuery(session.sparkContext, _))
    }
    plan
  }
}
