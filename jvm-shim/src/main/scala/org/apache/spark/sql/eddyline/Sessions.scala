package org.apache.spark.sql.eddyline

import java.util.Properties

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.{Column, Row}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, ExpressionUtils, SparkSession}

/** What only code in Spark's packages can do with a session. */
object Sessions {

  /** A session with the same catalog, confs and temporary views, which lives by itself. */
  def copyOf(session: SparkSession): SparkSession = session.cloneSession()

  /** The plan as a DataFrame; a command is executed. */
  def frame(session: SparkSession, plan: LogicalPlan): DataFrame =
    session.withActive(Dataset.ofRows(session, plan))

  def column(expression: Expression): Column = ExpressionUtils.column(expression)

  /** The plan of a DataFrame, analyzed. */
  def plan(frame: Dataset[Row]): LogicalPlan = frame.logicalPlan

  /**
   * Runs something on behalf of no query: without the job group, the tags and the batch that the
   * thread's jobs carry, and with the classes of every ADD JAR.
   */
  def detached[T](session: SparkSession)(body: => T): T = {
    val (context, thread) = (session.sparkContext, Thread.currentThread)
    val (properties, loader) = (context.getLocalProperties, thread.getContextClassLoader)
    context.setLocalProperties(new Properties)
    thread.setContextClassLoader(session.sharedState.jarClassLoader)
    try session.withActive(body)
    finally {
      context.setLocalProperties(properties)
      thread.setContextClassLoader(loader)
    }
  }

  /** Sends a value to the executors that ask for it; the driver keeps it serialized alone. */
  def broadcast(context: SparkContext, value: Any): Broadcast[Any] =
    context.broadcastInternal(value, serializedOnly = true)
}
