package org.apache.spark.sql.eddyline

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent, SparkListenerInterface}
import org.apache.spark.sql.classic.{SparkSession, StreamingQueryManager}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/** Removes the listener that Spark adds for each session that starts a stream and never removes. */
object StreamListeners {

  private val BUS = {
    val field = classOf[StreamingQueryManager].getDeclaredField("listenerBus")
    field.setAccessible(true)
    field
  }

  /** Removes the listener of a session whose streams have ended, once it has seen their ends. */
  def remove(session: SparkSession): Unit = {
    val bus = session.sparkContext.listenerBus
    val listener = BUS.get(session.streams).asInstanceOf[SparkListenerInterface]
    val end = new End
    bus.addToQueue(
      new SparkListener {
        override def onOtherEvent(event: SparkListenerEvent): Unit = if (event eq end) {
          bus.removeListener(listener)
          bus.removeListener(this)
        }
      },
      "streams")
    bus.post(end)
  }

  /** The listeners get this event after all that were posted before. */
  private class End extends SparkListenerEvent {
    override protected[spark] def logEvent: Boolean = false
  }
}

/**
 * Calls a function after each batch query of the application that has succeeded.
 *
 * @param onSuccess is called with the id of the execution, the time of its end in ms since the
 *                  epoch, and the plan that has run
 */
class BatchQueryListener(onSuccess: (Long, Long, SparkPlan) => Unit) extends SparkListener {
  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case end: SparkListenerSQLExecutionEnd if end.qe != null && end.executionFailure.isEmpty =>
      if (!end.qe.isInstanceOf[IncrementalExecution]) {
        onSuccess(end.executionId, end.time, end.qe.executedPlan)
      }
    case _ =>
  }
}
