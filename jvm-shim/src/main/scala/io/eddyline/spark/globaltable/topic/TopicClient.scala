package io.eddyline.spark.globaltable.topic

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TopicFormat

/**
 * Where a topic ends.
 *
 * @param topicId what tells the topic from others of its name; None: the broker did not say
 * @param offsets the offset after the last committed record of each partition
 */
private[globaltable] case class TopicEnd(topicId: Option[String], offsets: TopicOffsets)

/**
 * Asks the broker for the end of a topic, and for few of its records, by a stream of Spark's Kafka
 * source that no query runs. The connections stay open until `close` or an error.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.TOPIC_NOT_FOUND, and those of Kafka's client.
 */
private[globaltable] class TopicClient(table: String) extends Logging {
  import TopicClient._

  private var open: Option[Connection] = None

  /** Returns the end of the topic. */
  def endOf(topic: TopicDefinition, session: SparkSession): TopicEnd =
    ask(topic, session)(readEnd(topic, _))

  /** Returns the id of the topic; None: the broker does not say. */
  def idOf(topic: TopicDefinition, session: SparkSession): Option[String] =
    ask(topic, session)(_.ids.of(topic.name))

  /** Returns the records between two offsets, undecoded; None: they are not few. */
  def few(
      topic: TopicDefinition,
      session: SparkSession,
      from: TopicOffsets,
      end: TopicOffsets): Option[LocalRelation] =
    ask(topic, session) { connection =>
      new FewRecords(topic, connection.stream).read(from, end)
        .map(LocalRelation(toAttributes(connection.schema), _))
    }

  def close(): Unit = synchronized {
    try open.foreach { connection =>
        try connection.ids.close()
        finally connection.stream.stop()
      }
    catch { case NonFatal(e) => logWarning(s"A connection to the topic of $table stays open", e) }
    finally open = None
  }

  private def ask[T](topic: TopicDefinition, session: SparkSession)(
      question: Connection => T): T = synchronized {
    try question(connection(topic, session))
    catch {
      case e: Throwable =>
        close()
        throw if (isUnknown(e)) notFound(topic) else e
    }
  }

  /** Asks for the id before and after the offsets, so that both are of one topic. */
  @tailrec private def readEnd(topic: TopicDefinition, connection: Connection): TopicEnd = {
    val stream = connection.stream
    val id = connection.ids.of(topic.name)
    val none = stream.deserializeOffset(TopicOffsets.START.json(topic.name))
    val end = Option(stream.latestOffset(none, ReadLimit.allAvailable()))
      .map(end => TopicOffsets.parse(end.json)).getOrElse(throw notFound(topic))
    if (connection.ids.of(topic.name) == id) TopicEnd(id, end) else readEnd(topic, connection)
  }

  private def connection(topic: TopicDefinition, session: SparkSession): Connection = {
    if (!open.exists(_.topic == topic)) {
      close()
      val options = new CaseInsensitiveStringMap(topic.readerOptions.asJava)
      val source = DataSource.lookupDataSource(TopicFormat.TYPED, session.sessionState.conf)
        .getConstructor().newInstance().asInstanceOf[TableProvider]
      val records = source.getTable(
        source.inferSchema(options), Array.empty[Transform], options.asCaseSensitiveMap)
        .asInstanceOf[SupportsRead]
      val scan = records.newScanBuilder(options).build()
      val stream = scan.toMicroBatchStream(table)
        .asInstanceOf[MicroBatchStream with SupportsAdmissionControl]
      open = Some(Connection(topic, scan.readSchema, stream, new TopicIds(stream)))
    }
    open.get
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
  private case class Connection(
      topic: TopicDefinition,
      schema: StructType,
      stream: MicroBatchStream with SupportsAdmissionControl,
      ids: TopicIds)
}
