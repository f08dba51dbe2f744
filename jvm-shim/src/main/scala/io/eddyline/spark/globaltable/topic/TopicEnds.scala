package io.eddyline.spark.globaltable.topic

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TopicFormat

/**
 * Asks the broker for the end of a topic, by a stream of Spark's Kafka source that reads nothing.
 * The connection stays open until `close` or an error.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.TOPIC_NOT_FOUND, and those of Kafka's client.
 */
private[globaltable] class TopicEnds(table: String) extends Logging {
  private var open: Option[(TopicDefinition, MicroBatchStream with SupportsAdmissionControl)] = None

  /** Returns the offset after the last committed record of each partition. */
  def of(topic: TopicDefinition, session: SparkSession): TopicOffsets = synchronized {
    try {
      val stream = streamOf(topic, session)
      val none = stream.deserializeOffset(TopicOffsets.START.json(topic.name))
      Option(stream.latestOffset(none, ReadLimit.allAvailable()))
        .map(end => TopicOffsets.parse(end.json)).getOrElse(throw notFound(topic))
    } catch {
      case e: Throwable =>
        close()
        throw if (isUnknown(e)) notFound(topic) else e
    }
  }

  def close(): Unit = synchronized {
    try open.foreach { case (_, stream) => stream.stop() }
    catch { case NonFatal(e) => logWarning(s"A connection to the topic of $table stays open", e) }
    finally open = None
  }

  private def streamOf(
      topic: TopicDefinition,
      session: SparkSession): MicroBatchStream with SupportsAdmissionControl = {
    if (!open.exists(_._1 == topic)) {
      close()
      val options = new CaseInsensitiveStringMap(topic.readerOptions.asJava)
      val source = DataSource.lookupDataSource(TopicFormat.TYPED, session.sessionState.conf)
        .getConstructor().newInstance().asInstanceOf[TableProvider]
      val records = source.getTable(
        source.inferSchema(options), Array.empty[Transform], options.asCaseSensitiveMap)
        .asInstanceOf[SupportsRead]
      val stream = records.newScanBuilder(options).build().toMicroBatchStream(table)
      open = Some(topic -> stream.asInstanceOf[MicroBatchStream with SupportsAdmissionControl])
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
