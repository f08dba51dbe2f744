package io.eddyline.spark.realtime

import java.util.concurrent.TimeUnit.MILLISECONDS

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging

/**
 * The tasks of a run that has ended. Spark cancels them, but does not wait for them, so that one
 * may still write a row while the next run begins.
 */
private[realtime] object EarlierRunTasks extends Logging {
  private val POLL_MS = 10L

  /** How long Spark waits for an executor from which it hears nothing, in milliseconds. */
  def silence(context: SparkContext): Long =
    context.getConf.getTimeAsMs("spark.network.timeout", "120s")

  /**
   * Waits until no task of a run of this application runs. An event that Spark has dropped makes
   * none wait longer than an executor may be silent.
   */
  def await(context: SparkContext, run: String): Unit = {
    val deadline = System.nanoTime + MILLISECONDS.toNanos(silence(context))
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
