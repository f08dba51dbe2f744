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
 * @param stop is called with the value of an application that has ended
 */
private[spark] class PerApplication[T](stop: T => Unit = (_: T) => ()) {
  private val entries = mutable.Map.empty[SparkContext, Entry]

  /**
   * Returns the value of an application, which the first call makes; calls for other applications
   * do not wait for it. If the application has ended, its value is stopped at once.
   */
  def of(context: SparkContext)(make: => T): T =
    try {
      entries.synchronized(entries.getOrElseUpdate(context, new Entry)).value {
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
    entries.synchronized(entries.remove(context)).flatMap(_.found).foreach(stop)

  /** Returns the value of an application; None before the first use, and while it is made. */
  def find(context: SparkContext): Option[T] =
    entries.synchronized(entries.get(context)).flatMap(_.found)

  /** The values of all applications that have one. */
  def all: Seq[T] = entries.synchronized(entries.values.toSeq).flatMap(_.found)

  private class Entry {
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

/** Keeps one value for each run of a streaming query. Those of ended runs go when a run begins. */
private[spark] class PerRun[T] {
  private val applications = new PerApplication[ConcurrentHashMap[UUID, T]]

  /** Returns the values of the application's runs by their ids, for the run with an id. */
  def of(session: SparkSession, run: UUID): ConcurrentHashMap[UUID, T] = {
    val values = applications.of(session.sparkContext)(new ConcurrentHashMap[UUID, T])
    if (!values.containsKey(run)) values.keySet.retainAll(MicroBatch.activeRuns(session).asJava)
    values
  }
}
