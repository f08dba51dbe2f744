package org.apache.spark.sql.eddyline

import java.util.concurrent.{ExecutionException, FutureTask, ThreadFactory}

import org.apache.spark.TaskContext
import org.apache.spark.util.{ThreadUtils, UninterruptibleThread}

/** Runs on the driver what is written for a task, as a reader of a data source is. */
object DriverTask {

  /**
   * Returns the result of something that runs as a task on a thread of its own. There no interrupt
   * breaks a consumer of Kafka (KAFKA-1894); one of the caller ends only the wait.
   */
  def apply[T](name: String)(body: => T): T = {
    val task = new FutureTask[T](() => {
      TaskContext.setTaskContext(TaskContext.empty())
      try body
      finally TaskContext.unset()
    })
    val thread = new UninterruptibleThread(task, name)
    thread.setDaemon(true)
    thread.start()
    try task.get()
    catch { case e: ExecutionException => throw e.getCause }
  }
}

/** Creates Spark's factory of named daemon threads, which do not keep the JVM alive. */
object DaemonThreads {
  def apply(name: String): ThreadFactory = ThreadUtils.namedThreadFactory(name)
}
