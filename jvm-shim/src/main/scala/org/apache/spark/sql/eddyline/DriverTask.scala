package org.apache.spark.sql.eddyline

import java.util.concurrent.{ExecutionException, FutureTask}

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.util.UninterruptibleThread

/** Runs on the driver what is written for a task, as a reader of a data source is. */
object DriverTask {

  /**
   * Returns the result of something that runs as a task on a thread of its own. There no interrupt
   * breaks a consumer of Kafka (KAFKA-1894); one of the caller ends the wait, and marks the task as
   * interrupted.
   */
  def apply[T](name: String)(body: => T): T = {
    val context = TaskContext.empty()
    val task = new FutureTask[T](() => {
      TaskContext.setTaskContext(context)
      try body
      finally TaskContext.unset()
    })
    val thread = new UninterruptibleThread(task, name)
    thread.setDaemon(true)
    thread.start()
    try task.get()
    catch {
      case e: ExecutionException => throw e.getCause
      case e: InterruptedException =>
        context.markInterrupted("the caller was interrupted")
        throw e
    }
  }

  /**
   * Computes an RDD without a job, and passes its rows to `onRow`. This thread has no context of a
   * task, since Spark would look for the blocks that such a task has locked.
   */
  def compute[T](rdd: RDD[T])(onRow: T => Unit): Unit = {
    val context = TaskContext.empty()
    try rdd.partitions.foreach(rdd.iterator(_, context).foreach(onRow))
    finally context.markTaskCompleted(None)
  }
}
