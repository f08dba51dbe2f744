package io.eddyline.spark.globaltable.replica

import java.util.concurrent.{Executors, Future, FutureTask, RejectedExecutionException}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.eddyline.DaemonThreads

/**
 * The threads that build replicas. A task that they will never run is cancelled, so that nobody
 * waits for it forever.
 */
private[replica] class BuildThreads(number: Int) {
  private val pool = Executors.newFixedThreadPool(number, DaemonThreads("eddyline-global-build"))

  /** Runs a task, or cancels it if the application ends; returns whether it runs. */
  def execute(task: FutureTask[_]): Boolean =
    try {
      pool.execute(task)
      true
    } catch {
      case _: RejectedExecutionException =>
        task.cancel(false)
        false
    }

  /** Interrupts the tasks that run and cancels those that wait for a thread. */
  def stop(): Unit = pool.shutdownNow().asScala.foreach {
    case task: Future[_] => task.cancel(false)
  }
}
