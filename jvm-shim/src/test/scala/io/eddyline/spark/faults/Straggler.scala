package io.eddyline.spark.faults

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.TaskContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}

/**
 * Makes the first attempt of a stage's task 0 slow at one place, so that Spark starts a speculative
 * copy. The attempt continues after the copy has won, like a task that cannot be interrupted.
 */
object Straggler {
  private val Place = sys.env.get("EDDYLINE_STRAGGLES")

  private[faults] def linger(place: String): Unit = {
    val task = Option(TaskContext.get()).filter(_ => Place.contains(place))
    task.filter(task => task.attemptNumber() == 0 && task.partitionId() == 0).foreach { task =>
      while (!task.isInterrupted()) { // Spark kills it once the copy has won
        try Thread.sleep(10)
        catch { case _: InterruptedException => }
      }
    }
  }
}

/** Counts on the driver the speculative copies that won. */
class CountSpeculation extends SparkListener {

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit =
    if (end.taskInfo.speculative && end.taskInfo.successful) {
      CountSpeculation.Won.incrementAndGet()
    }
}

object CountSpeculation {
  private val Won = new AtomicInteger

  def won(): Int = Won.get()
}
