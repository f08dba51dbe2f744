package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.eddyline.DaemonThreads
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.globaltable.catalog.GlobalTableOptions
import io.eddyline.spark.globaltable.topic.{LastRecords, TopicEnd}
import io.eddyline.spark.kafka.{TopicConsumer, TopicOffsets}

/** A table whose topic a thread can follow. */
private[globaltable] trait FollowedTable extends Refreshable {
  def options: GlobalTableOptions

  /** Whether running tasks look up in rows that are to be those of a topic at each moment. */
  private[refresh] def hasFollowers: Boolean
}

/**
 * Follows a topic on a thread of its own, as the global thread of Kafka Streams does (KIP-99): it
 * blocks until records come and applies them to the rows in memory at once.
 *
 * @param consumer one at the offsets of `first`, which the thread closes
 * @param topicId the id of the topic that it reads
 * @param records returns what takes the records after a version
 * @param check fails if the topic is another one now
 * @param publish takes a version and the records that have made it
 * @param isNeeded whether it goes on, asked between polls
 * @param ended takes the error that has ended it
 */
private[refresh] class TopicFollower(
    first: DriverVersion,
    consumer: TopicConsumer,
    topicId: Option[String])(
    records: DriverVersion => LastRecords,
    check: () => Unit,
    publish: (DriverVersion, LastRecords, TopicOffsets) => DriverVersion,
    isNeeded: () => Boolean,
    ended: Throwable => Unit) {
  import TopicFollower._

  @volatile private var now = first
  @volatile private var isRunning = true
  private val conf = SQLConf.get // the thread has Spark's defaults

  def version: DriverVersion = now

  def isAlive: Boolean = isRunning

  def start(): Unit = DaemonThreads(NAME).newThread(() =>
    SQLConf.withExistingConf(conf)(follow())).start()

  private def follow(): Unit =
    try {
      while (isRunning && isNeeded()) step()
      end()
    } catch {
      case NonFatal(e) => if (end()) ended(e)
    } finally consumer.close()

  private def step(): Unit = {
    val found = records(now)
    consumer.poll(POLL)(found.add)
    val position = consumer.position
    if (position != now.offsets) {
      check()
      synchronized {
        if (isRunning) now = publish(now, found, position)
        notifyAll()
      }
      Thread.sleep(PAUSE_MS)
    }
  }

  /** Waits until it has read up to an end; None: it has ended, or reads other partitions. */
  def await(end: TopicEnd): Option[DriverVersion] = synchronized {
    val deadline = System.nanoTime + PATIENCE
    def isOf = isRunning && topicId == end.topicId &&
      end.offsets.next.keySet == now.offsets.next.keySet
    def isThere = end.offsets.growsTo(now.offsets)
    while (isOf && !isThere && System.nanoTime < deadline) wait(POLL.toMillis)
    Option.when(isOf && isThere)(now)
  }

  /** Takes note that one of its versions is published. */
  def published(version: DriverVersion, as: DriverVersion): Unit =
    synchronized { now = now.after(version, as) }

  /** Calls `send` with the version of now, so that no other is published meanwhile. */
  def current(send: DriverVersion => Unit): Unit = synchronized(send(now))

  /** Ends it; returns whether it was running. */
  private def end(): Boolean = synchronized {
    val was = isRunning
    isRunning = false
    notifyAll()
    was
  }

  def close(): Unit = if (end()) Try(consumer.wakeUp())
}

private object TopicFollower {
  private val NAME = "eddyline-topic-reader"

  /** How long a poll waits for records. */
  private val POLL = Duration.ofSeconds(1)

  /** The least time between two versions that tasks get, in ms. */
  private val PAUSE_MS = 10L

  /** How long `await` waits for records that the broker has, in ns. */
  private val PATIENCE = Duration.ofSeconds(20).toNanos
}
