package io.eddyline.spark.realtime

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.MicroBatchScanExec

import io.eddyline.spark.base.RealTime

/**
 * Records in the checkpoint that a micro-batch in real-time mode starts to emit rows. With another
 * trigger the record is kept up to date, also by a query without EMIT, since the query may be
 * replaced by one with EMIT.
 */
private[spark] case class RecordUncommittedOutput(session: SparkSession) extends ColumnarRule {

  override def postColumnarTransitions: Rule[SparkPlan] = plan => {
    if (plan.exists(mayRunInRealTime)) UncommittedOutput.mustReemit(session): Unit
    plan
  }

  private def mayRunInRealTime(operator: SparkPlan): Boolean = operator match {
    case scan: MicroBatchScanExec => scan.stream.isInstanceOf[SupportsRealTimeMode]
    case other => RealTime.isSource(other)
  }
}
