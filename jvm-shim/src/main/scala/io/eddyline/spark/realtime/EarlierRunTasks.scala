package io.eddyline.spark.realtime

import java.util.concurrent.TimeUnit.MILLISECONDS

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging

/**
 * Waits for the tasks of a run that has ended. Spark cancels them but does not wait for them, so a
 * task may still emit a row when the next run starts.
 */
private[realtime] object EarlierRunTasks extends Logging {
  private val POLL_MS = 10L

  /** After how many ms Spark takes an executor for lost that sends no heartbeat. */
  def executorTimeout(context: SparkContext): Long =
    context.getConf.getTimeAsMs("spark.network.timeout", "120s")

  /**
   * Waits until no task of a run of this application runs, at most for the timeout of executors:
   * Spark may have dropped the event of a task's end.
   */
  def awaitEnd(context: SparkContext, run: String): Unit = {
    val deadline = System.nanoTime + MILLISECONDS.toNanos(executorTimeout(context))
    while (areRunning(context, run) && System.nanoTime - deadline < 0) Thread.sleep(POLL_MS)
    if (areRunning(context, run)) logWarning(s"Tasks of the run $run do not end")
  }

  /** The job group of a streaming query is the id of its run. */
  private def areRunning(context: SparkContext, run: String): Boolean = {
    val tracker = context.statusTracker
    tracker.getJobIdsForGroup(run).flatMap(tracker.getJobInfo(_)).flatMap(_.stageIds)
      .flatMap(tracker.getStageInfo(_)).exists(_.numActiveTasks > 0)
  }
}
