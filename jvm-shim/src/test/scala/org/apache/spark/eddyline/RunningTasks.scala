package org.apache.spark.eddyline

import org.apache.spark.scheduler.TaskSchedulerImpl
import org.apache.spark.sql.SparkSession

/** The tasks that run, also those of jobs that have failed. */
object RunningTasks {

  def count(session: SparkSession): Int = session.sparkContext.taskScheduler
    .asInstanceOf[TaskSchedulerImpl].runningTasksByExecutors.values.sum
}
