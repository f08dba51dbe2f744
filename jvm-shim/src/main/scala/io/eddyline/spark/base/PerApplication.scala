package io.eddyline.spark.base

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

/**
 * Keeps one value for each application, from its first use until the application ends.
 *
 * @param stop ends a value with its application
 */
private[spark] class PerApplication[T](stop: T => Unit = (_: T) => ()) {
  private val places = mutable.Map.empty[SparkContext, Place]

  /**
   * Returns the value of an application; makes it at the first use, for which only callers of the
   * same value wait. After the end of the application a value is ended at once.
   */
  def of(context: SparkContext)(make: => T): T =
    try {
      places.synchronized(places.getOrElseUpdate(context, new Place)).value {
        val made = make
        if (!context.isStopped) {
          context.addSparkListener(new SparkListener {
            override def onApplicationEnd(event: SparkListenerApplicationEnd): Unit = end(context)
          })
        }
        made
      }
    } finally {
      if (context.isStopped) end(context) // a listener may have come too late for the event
    }

  private def end(context: SparkContext): Unit =
    places.synchronized(places.remove(context)).flatMap(_.found).foreach(stop)

  /** The value of an application; None before the first use, or while it is made. */
  def find(context: SparkContext): Option[T] =
    places.synchronized(places.get(context)).flatMap(_.found)

  def all: Seq[T] = places.synchronized(places.values.toSeq).flatMap(_.found)

  private class Place {
    @volatile var found: Option[T] = None

    def value(make: => T): T = synchronized {
      found.getOrElse {
        val made = make
        found = Some(made)
        made
      }
    }
  }
}

/** Keeps one value for each run of a streaming query, until another run begins after its end. */
private[spark] class PerRun[T] {
  private val applications = new PerApplication[ConcurrentHashMap[UUID, T]]

  /** The values of the application's runs; asked for by a run, with its id. */
  def of(session: SparkSession, run: UUID): ConcurrentHashMap[UUID, T] = {
    val values = applications.of(session.sparkContext)(new ConcurrentHashMap[UUID, T])
    if (!values.containsKey(run)) values.keySet.retainAll(MicroBatch.activeRuns(session).asJava)
    values
  }
}
