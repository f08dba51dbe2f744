package org.apache.spark.sql.eddyline

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}

/** What only code in Spark's packages can do with a session. */
object Sessions {

  /** A session with the same catalog, confs and temporary views, which lives by itself. */
  def copyOf(session: SparkSession): SparkSession = session.cloneSession()

  /** The plan as a DataFrame; a command is executed. */
  def frame(session: SparkSession, plan: LogicalPlan): DataFrame =
    session.withActive(Dataset.ofRows(session, plan))

  /** The plan of a DataFrame, analyzed. */
  def plan(frame: Dataset[Row]): LogicalPlan = frame.logicalPlan
}
