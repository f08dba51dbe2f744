package io.eddyline.spark.globaltable.join

import com.google.common.cache.CacheBuilder
import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.ui._

import io.eddyline.spark.base.PerApplication

/**
 * Shows the metrics of a lookup in every SQL execution of the UI that shows the lookup.
 *
 * A micro-batch that `foreachBatch` writes, as each of START STREAMING QUERY, is two executions:
 * one prepares the query, and inside it that of the write runs the tasks. Spark shows the operators
 * of the query in both, but a metric that the driver sets only in the execution that sets it. It
 * is set before the end of the inner execution is seen, since both are in one queue of events.
 */
private class LookupMetrics(context: SparkContext) extends SparkListener {

  /** The metrics of the executions that run; Spark may drop the event that one has ended. */
  private val set = CacheBuilder.newBuilder().maximumSize(LookupMetrics.MAX_EXECUTIONS)
    .build[java.lang.Long, Seq[SQLMetric]]().asMap

  /** Sets the metrics in the execution of this thread, and in those that it contains. */
  def post(metrics: Seq[SQLMetric]): Unit =
    Option(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)).foreach { execution =>
      SQLMetrics.postDriverMetricUpdates(context, execution, metrics)
      set.merge(execution.toLong, metrics, _ ++ _)
    }

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case start: SparkListenerSQLExecutionStart =>
      start.rootExecutionId.filter(_ != start.executionId).foreach { root =>
        Option(set.get(root)).foreach(
          SQLMetrics.postDriverMetricUpdates(context, start.executionId.toString, _))
      }
    case end: SparkListenerSQLExecutionEnd => set.remove(end.executionId)
    case _ =>
  }
}

private object LookupMetrics {
  private val MAX_EXECUTIONS = 1000L

  private val applications = new PerApplication[LookupMetrics]

  def of(context: SparkContext): LookupMetrics = applications.of(context) {
    val metrics = new LookupMetrics(context)
    SessionInternals.addToStatusQueue(context, metrics)
    metrics
  }
}
