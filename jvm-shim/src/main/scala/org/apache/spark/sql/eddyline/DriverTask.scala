package org.apache.spark.sql.eddyline

import java.util.concurrent.{ExecutionException, FutureTask, ThreadFactory}

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.util.{ThreadUtils, UninterruptibleThread}

/** Runs code on the driver that is written for a task, such as a reader of a data source. */
object DriverTask {

  /**
   * Runs code as a task on a new thread, and returns its result. An interrupt of the caller ends
   * the wait and marks the task as interrupted, but does not reach the thread, where it could break
   * a consumer of Kafka (KAFKA-1894).
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

/** Creates factories of daemon threads, which do not keep the JVM alive. */
object DaemonThreads {

  /** Returns a factory whose threads are named `<name>-<number>`. */
  def apply(name: String): ThreadFactory = ThreadUtils.namedThreadFactory(name)
}
