package io.eddyline.spark.kafka

import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * A stream of Spark's Kafka source that no query runs. It asks the brokers where topics end, and
 * writes nothing into a checkpoint. Its connections stay open until `close`.
 *
 * Errors: those of Kafka's client.
 */
private[spark] class TopicOffsetReader private (
    val stream: MicroBatchStream with SupportsAdmissionControl)
  extends AutoCloseable {
  private val ids = new TopicIds(stream)

  /** The offsets after the last records; None: no topic has a partition. */
  def end: Option[Offset] =
    Option(stream.latestOffset(stream.deserializeOffset("{}"), ReadLimit.allAvailable()))

  /** Returns the id of a topic; None: the broker does not say. */
  def idOf(topic: String): Option[String] = ids.of(topic)

  /** Returns a consumer of a topic from these offsets on, which the caller closes. */
  def consumer(topic: String, from: TopicOffsets): TopicConsumer =
    new TopicConsumer(stream, topic, from)

  override def close(): Unit =
    try ids.close()
    finally stream.stop()
}

private[spark] object TopicOffsetReader {

  /**
   * Returns a stream over a table of the source.
   *
   * @param name what Spark calls it in its log
   */
  def of(table: SupportsRead, options: CaseInsensitiveStringMap, name: String): TopicOffsetReader =
    of(table.newScanBuilder(options).build(), name)

  /** Returns another stream of a scan that a query reads. */
  def of(scan: Scan, name: String): TopicOffsetReader = {
    val stream = scan.toMicroBatchStream(name)
    new TopicOffsetReader(stream.asInstanceOf[MicroBatchStream with SupportsAdmissionControl])
  }

  /** Whether a stream is one of Spark's Kafka source, which the class path here does not have. */
  def isOne(stream: SparkDataStream): Boolean =
    stream.getClass.getName == "org.apache.spark.sql.kafka010.KafkaMicroBatchStream"
}
