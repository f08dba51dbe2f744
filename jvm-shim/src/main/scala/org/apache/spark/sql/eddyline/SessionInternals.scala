package org.apache.spark.sql.eddyline

import java.util.Properties

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.{Column, Row}
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.catalog.{TempVariableManager, VariableDefinition}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, View}
import org.apache.spark.sql.classic.{DataFrame, Dataset, ExpressionUtils, SparkSession}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.Utils

/** Operations on a session that only code in Spark's packages can do. */
object SessionInternals {

  /**
   * Returns an independent session with the same current catalog and namespace, confs, temporary
   * views, functions and variables. `cloneSession` leaves out the current catalog and variables.
   */
  def copyOf(session: SparkSession): SparkSession = {
    val copy = session.cloneSession()
    useCatalogOf(session, copy)
    // Spark does not list the temporary variables
    val variables = session.sessionState.catalogManager.tempVariableManager
    val all = classOf[TempVariableManager].getDeclaredMethod("variables")
    all.setAccessible(true)
    variables.synchronized {
      all.invoke(variables).asInstanceOf[collection.Map[String, VariableDefinition]].toSeq
    }.foreach { case (name, definition) =>
      copy.sessionState.catalogManager.tempVariableManager
        .create(Seq(name), definition, overrideIfExists = true)
    }
    copy
  }

  /** Sets the current catalog and namespace of a clone to those of the original session. */
  def useCatalogOf(session: SparkSession, clone: SparkSession): Unit = {
    val (from, to) = (session.sessionState.catalogManager, clone.sessionState.catalogManager)
    if (to.currentCatalog.name != from.currentCatalog.name ||
      !to.currentNamespace.sameElements(from.currentNamespace)) {
      to.setCurrentCatalog(from.currentCatalog.name)
      to.setCurrentNamespace(from.currentNamespace)
    }
  }

  /** Lists the files again of the temporary views that programs have made of DataFrames. */
  def refreshViews(plan: LogicalPlan): Unit = plan.foreachWithSubqueries {
    case view: View if view.isTempViewStoringAnalyzedPlan => view.refresh()
    case _ =>
  }

  /** Runs code as a user, who is also the user of the threads that it starts. */
  def asUser[T](user: String)(body: => T): T = {
    val before = CurrentUserContext.CURRENT_USER.get
    CurrentUserContext.CURRENT_USER.set(user)
    try body
    finally CurrentUserContext.CURRENT_USER.set(before)
  }

  /** Returns a plan as a DataFrame. A command is executed. */
  def frame(session: SparkSession, plan: LogicalPlan): DataFrame =
    session.withActive(Dataset.ofRows(session, plan))

  /** Returns the same rows without their plan, since MERGE refuses plans that may change. */
  def withoutPlan(rows: DataFrame): DataFrame =
    rows.sparkSession.internalCreateDataFrame(rows.queryExecution.toRdd, rows.schema)

  /** Returns an expression as a column. */
  def column(expression: Expression): Column = ExpressionUtils.column(expression)

  /** Returns a column whose expression is `change` of that of another column. */
  def mapExpression(column: Column)(change: Expression => Expression): Column =
    ExpressionUtils.column(change(ExpressionUtils.expression(column)))

  /** Returns the analyzed plan of a DataFrame. */
  def plan(frame: Dataset[Row]): LogicalPlan = frame.logicalPlan

  /**
   * Runs code that does not belong to the query of this thread: its jobs have none of the thread's
   * properties, such as the job group, tags and micro-batch. It has the classes of every ADD JAR.
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

  /**
   * Runs code outside of the SQL execution of this thread's statement, so that the threads that it
   * starts, such as that of a streaming query, have executions of their own.
   */
  def outsideExecution[T](session: SparkSession)(body: => T): T = {
    val context = session.sparkContext
    val keys = Seq(SQLExecution.EXECUTION_ID_KEY, SQLExecution.EXECUTION_ROOT_ID_KEY)
    val ids = keys.map(key => key -> context.getLocalProperty(key))
    keys.foreach(context.setLocalProperty(_, null))
    try body
    finally ids.foreach { case (key, id) => context.setLocalProperty(key, id) }
  }

  /** Returns how many tasks can run at once; None with dynamic allocation of executors. */
  def slots(context: SparkContext): Option[Int] =
    Option.when(!Utils.isDynamicAllocationEnabled(context.conf))(
      context.maxNumConcurrentTasks(context.resourceProfileManager.defaultResourceProfile))

  /** Broadcasts a value; the driver keeps only the serialized form. */
  def broadcast(context: SparkContext, value: Any): Broadcast[Any] =
    context.broadcastInternal(value, serializedOnly = true)
}

/** Reads static confs from those of an application. The class of entries is private to Spark. */
object StaticConf {

  /**
   * Returns the value of an entry, or its default.
   *
   * Errors: Spark's INVALID_CONF_VALUE and similar ones, if the entry does not allow the value.
   */
  def of[T](conf: SparkConf, entry: ConfigEntry[T]): T = {
    val values = new SQLConf
    conf.getOption(entry.key).foreach(values.setConfString(entry.key, _))
    values.getConf(entry)
  }
}
