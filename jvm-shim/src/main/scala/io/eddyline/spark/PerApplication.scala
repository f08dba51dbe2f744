package io.eddyline.spark

import scala.collection.mutable

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}

/**
 * Keeps one value for each application, from its first use until the application ends.
 *
 * @param stop ends a value with its application
 */
private[spark] class PerApplication[T](stop: T => Unit = (_: T) => ()) {
  private val values = mutable.Map.empty[SparkContext, T]

  /** Returns the value of an application; makes it at the first use. */
  def of(context: SparkContext)(make: => T): T = values.synchronized {
    values.getOrElseUpdate(context, {
        val made = make
        context.addSparkListener(new SparkListener {
          override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit =
            values.synchronized(values.remove(context)).foreach(stop)
        })
        made
      })
  }

  /** The value of an application; None before the first use. */
  def find(context: SparkContext): Option[T] = values.synchronized(values.get(context))

  def all: Seq[T] = values.synchronized(values.values.toSeq)
}
