package io.eddyline.spark.globaltable.topic

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.eddyline.DriverTask

import io.eddyline.spark.kafka.TopicOffsets

/**
 * Reads records of a topic on the driver as long as they are few. A job of Spark takes longer, and
 * needs a slot, which the tasks of a query in real-time mode may never give back.
 *
 * @param stream a stream of Spark's Kafka source
 */
private[topic] class FewRecords(topic: TopicDefinition, stream: MicroBatchStream) {
  import FewRecords._

  /**
   * Returns the records between two offsets as rows of the source; None: they are more than
   * `atMost` or large, or in a new partition. Errors: those of the source.
   */
  def read(from: TopicOffsets, end: TopicOffsets, atMost: Long): Option[Seq[InternalRow]] =
    if (from.next.keySet != end.next.keySet || from.distance(end) > atMost) None
    else DriverTask("eddyline-topic-reader") {
      val Seq(first, last) =
        Seq(from, end).map(offsets => stream.deserializeOffset(offsets.json(topic.name)))
      within(stream.planInputPartitions(first, last).toSeq, stream.createReaderFactory())
    }

  private def within(
      parts: Seq[InputPartition], factory: PartitionReaderFactory): Option[Seq[InternalRow]] = {
    val rows = Vector.newBuilder[InternalRow]
    var bytes = 0L
    parts.foreach { part =>
      val reader = factory.createReader(part)
      try {
        while (bytes <= MAX_BYTES && reader.next()) {
          val row = reader.get().copy()
          bytes += row.asInstanceOf[UnsafeRow].getSizeInBytes
          rows += row
        }
      } finally reader.close()
    }
    Option.when(bytes <= MAX_BYTES)(rows.result())
  }
}

private object FewRecords {
  private val MAX_BYTES = 64L << 20
}
