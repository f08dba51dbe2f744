package org.apache.spark.sql.eddyline

import java.util.Properties

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.{Column, Row}
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.catalog.{TempVariableManager, VariableDefinition}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, View}
import org.apache.spark.sql.classic.{DataFrame, Dataset, ExpressionUtils, SparkSession}

/** What only code in Spark's packages can do with a session. */
object SessionInternals {

  /**
   * A session with the same catalog, confs, temporary views, functions and variables, which lives
   * by itself.
   */
  def copyOf(session: SparkSession): SparkSession = {
    val copy = session.cloneSession()
    val variables = session.sessionState.catalogManager.tempVariableManager
    allOf(variables).foreach { case (name, definition) =>
      copy.sessionState.catalogManager.tempVariableManager
        .create(Seq(name), definition, overrideIfExists = true)
    }
    copy
  }

  /** Spark copies all of a session but these, and does not list them. */
  private def allOf(variables: TempVariableManager): Seq[(String, VariableDefinition)] =
    variables.synchronized {
      val all = classOf[TempVariableManager].getDeclaredMethod("variables")
      all.setAccessible(true)
      all.invoke(variables).asInstanceOf[collection.Map[String, VariableDefinition]].toSeq
    }

  /** Forgets the files and columns of the tables that a session has read. */
  def forgetTables(session: SparkSession): Unit =
    session.sessionState.catalog.invalidateAllCachedTables()

  /** Lets what a program made temporary views of look at its files again. */
  def refreshViews(plan: LogicalPlan): Unit = plan.foreachWithSubqueries {
    case view: View if view.isTempViewStoringAnalyzedPlan => view.refresh()
    case _ =>
  }

  /** Runs something as a user, and so the threads that it starts. */
  def asUser[T](user: String)(body: => T): T = {
    val before = CurrentUserContext.CURRENT_USER.get
    CurrentUserContext.CURRENT_USER.set(user)
    try body
    finally CurrentUserContext.CURRENT_USER.set(before)
  }

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
