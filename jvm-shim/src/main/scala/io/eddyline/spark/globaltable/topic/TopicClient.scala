package io.eddyline.spark.globaltable.topic

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.kafka._

/**
 * Where a topic ends.
 *
 * @param topicId what tells the topic from others of its name; None: the broker did not say
 * @param offsets the offset after the last committed record of each partition
 */
private[globaltable] case class TopicEnd(topicId: Option[String], offsets: TopicOffsets)

/**
 * Asks the broker for the end of a topic, and reads its records, with the settings of a stream of
 * Spark's Kafka source that no query runs. The connections stay open until `close` or an error.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.TOPIC_NOT_FOUND, and those of Kafka's client.
 */
private[globaltable] class TopicClient(table: String) extends Logging {
  import TopicClient._

  private var open: Option[(TopicDefinition, TopicOffsetReader)] = None

  /** Returns the end of the topic. */
  def endOf(topic: TopicDefinition, session: SparkSession): TopicEnd =
    ask(topic, session)(readEnd(topic, _))

  /** Returns the id of the topic; None: the broker does not say. */
  def idOf(topic: TopicDefinition, session: SparkSession): Option[String] =
    ask(topic, session)(_.idOf(topic.name))

  /**
   * Passes the records between two offsets to `onRecord`, see [[TopicConsumer.poll]], and returns
   * the offsets of those that come next.
   *
   * @param from offsets from which `end` was reached
   */
  def read(
      topic: TopicDefinition, session: SparkSession, from: TopicOffsets, end: TopicOffsets)(
      onRecord: InternalRow => Unit): TopicOffsets =
    if (end.growsTo(from)) from
    else withNamedError(topic) {
      val own = consumer(topic, session, from.until(end))
      try readOn(own, own.position, end, System.nanoTime)(onRecord)
      finally own.close()
    }

  /** @param since when it got to the position, by `System.nanoTime` */
  @tailrec private def readOn(
      consumer: TopicConsumer, at: TopicOffsets, end: TopicOffsets, since: Long)(
      onRecord: InternalRow => Unit): TopicOffsets =
    if (end.growsTo(at)) at
    else {
      consumer.poll(POLL)(onRecord)
      val (next, now) = (consumer.position, System.nanoTime)
      if (next == at && now - since > MAX_SILENCE) {
        throw new TimeoutException(s"no record came after $at, before the end $end")
      }
      readOn(consumer, next, end, if (next == at) since else now)(onRecord)
    }

  /** Returns a consumer from these offsets on, which the caller closes. */
  def consumer(
      topic: TopicDefinition, session: SparkSession, from: TopicOffsets): TopicConsumer =
    ask(topic, session)(_.consumer(topic.name, from))

  def close(): Unit = synchronized {
    try open.foreach(_._2.close())
    catch { case NonFatal(e) => logWarning(s"A connection to the topic of $table stays open", e) }
    finally open = None
  }

  private def ask[T](topic: TopicDefinition, session: SparkSession)(
      question: TopicOffsetReader => T): T = synchronized {
    try withNamedError(topic)(question(stream(topic, session)))
    catch {
      case e: Throwable =>
        close()
        throw e
    }
  }

  private def withNamedError[T](topic: TopicDefinition)(body: => T): T =
    try body
    catch { case NonFatal(e) if isUnknown(e) => throw notFound(topic) }

  /** Asks for the id before and after the offsets, so that both are of one topic. */
  @tailrec private def readEnd(topic: TopicDefinition, records: TopicOffsetReader): TopicEnd = {
    val id = records.idOf(topic.name)
    val end =
      records.end.map(end => TopicOffsets.parse(end.json)).getOrElse(throw notFound(topic))
    if (records.idOf(topic.name) == id) TopicEnd(id, end) else readEnd(topic, records)
  }

  private def stream(topic: TopicDefinition, session: SparkSession): TopicOffsetReader = {
    if (!open.exists(_._1 == topic)) {
      close()
      val options = new CaseInsensitiveStringMap(topic.readerOptions.asJava)
      val source = DataSource.lookupDataSource(TopicTable.FORMAT, session.sessionState.conf)
        .getConstructor().newInstance().asInstanceOf[TableProvider]
      val records = source.getTable(
        source.inferSchema(options), Array.empty[Transform], options.asCaseSensitiveMap)
      open = Some(topic -> TopicOffsetReader.of(records.asInstanceOf[SupportsRead], options, table))
    }
    open.get._2
  }

  /** Whether the broker does not know the topic; the class of Kafka's client is not on our path. */
  private def isUnknown(error: Throwable): Boolean =
    EddylineErrors.causes(error)
      .exists(_.getClass.getSimpleName == "UnknownTopicOrPartitionException")

  private def notFound(topic: TopicDefinition): Throwable =
    EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.TOPIC_NOT_FOUND",
      Map("topic" -> topic.name, "servers" -> topic.servers))
}

private object TopicClient {
  private val POLL = Duration.ofMillis(100)

  /** How long a reader waits for records that the broker has, in ns. */
  private val MAX_SILENCE = Duration.ofMinutes(2).toNanos
}
