package org.apache.spark.sql.eddyline

import java.util.concurrent.ThreadFactory

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.util.ThreadUtils

/** Computes on the driver what else tasks do. */
object DriverTask {

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
