package org.apache.spark.sql.eddyline

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/**
 * Calls a function with each batch query of the application that has succeeded: its number, the
 * time in ms since the epoch, and the plan that ran.
 */
class EndedQueries(ended: (Long, Long, SparkPlan) => Unit) extends SparkListener {
  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case end: SparkListenerSQLExecutionEnd if end.qe != null && end.executionFailure.isEmpty =>
      if (!end.qe.isInstanceOf[IncrementalExecution]) {
        ended(end.executionId, end.time, end.qe.executedPlan)
      }
    case _ =>
  }
}
