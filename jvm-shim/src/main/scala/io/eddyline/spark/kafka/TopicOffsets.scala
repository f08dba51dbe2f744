package io.eddyline.spark.kafka

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.eddyline.spark.base.Json

/**
 * Positions in the partitions of a topic.
 *
 * @param next the offset of the next record of each partition
 */
private[spark] case class TopicOffsets(next: SortedMap[Int, Long]) {

  /** The offsets as Spark's Kafka source writes them: `{"topic":{"0":12}}`. */
  def json(topic: String): String = {
    val node = Json.mapper.createObjectNode()
    val partitions = node.putObject(topic)
    next.foreach { case (partition, offset) => partitions.put(partition.toString, offset) }
    Json.mapper.writeValueAsString(node)
  }

  /** Whether a topic at these offsets can have grown to `end`: partitions are never removed. */
  def growsTo(end: TopicOffsets): Boolean = next.forall { case (partition, offset) =>
    end.next.get(partition).exists(_ >= offset)
  }

  /** The offsets from which a reader gets what came until `end`; a new partition as a whole. */
  def until(end: TopicOffsets): TopicOffsets =
    TopicOffsets(end.next.map { case (partition, _) =>
      partition -> next.getOrElse(partition, TopicOffsets.EARLIEST)
    })
}

private[spark] object TopicOffsets {

  /** In the place of an offset: the first record that a partition has. */
  val EARLIEST: Long = -2L

  /** The offsets of no partition: a reader from here gets all records. */
  val START: TopicOffsets = TopicOffsets(SortedMap.empty)

  /** Reads offsets as [[TopicOffsets.json]] writes them. */
  def parse(text: String): TopicOffsets = parseAll(text).values.headOption.getOrElse(START)

  /** Reads the offsets of several topics, by the name of the topic. */
  def parseAll(text: String): Map[String, TopicOffsets] =
    Json.mapper.readTree(text).properties.asScala.map { topic =>
      topic.getKey -> TopicOffsets(SortedMap.from(topic.getValue.properties.asScala.map { entry =>
        entry.getKey.toInt -> entry.getValue.longValue
      }))
    }.toMap
}
