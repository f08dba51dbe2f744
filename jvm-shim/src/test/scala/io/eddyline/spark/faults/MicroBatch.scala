package io.eddyline.spark.faults

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution

/** The run of a streaming query to which a task belongs; SQL calls it by `java_method`. */
object MicroBatch {

  /** Returns the id of the query, which its checkpoint keeps, the process and the id of the run. */
  def run(): String = {
    val task = TaskContext.get
    Seq(
      task.getLocalProperty(StreamExecution.QUERY_ID_KEY),
      ProcessHandle.current.pid.toString,
      task.getLocalProperty("spark.jobGroup.id")).mkString(" ")
  }
}
