package io.eddyline.spark.kafka

import org.apache.spark.sql.execution.streaming.eddyline.ReadStream

/** Where the topics that a query reads end, and whether it has read them up to there. */
private[spark] object TopicEnds {
  private val NONE = "{}"

  /**
   * Asks the brokers for the ends of the topics of each stream, as Spark's Kafka source writes
   * them: `{"topic":{"0":12}}`. A stream that reads no topic has none.
   */
  def now(streams: Seq[ReadStream]): Seq[String] = streams.map { read =>
    if (TopicOffsetReader.isOne(read.stream)) {
      val stream = TopicOffsetReader.of(read.scan, read.checkpoint)
      try stream.end.fold(NONE)(_.json)
      finally stream.close()
    } else NONE
  }

  /**
   * Whether the query has committed all records before these ends.
   *
   * @param areNewer whether the commit is newer than the ends: a partition that it lacks is gone
   */
  def arePassed(ends: Seq[String], streams: Seq[ReadStream], areNewer: Boolean): Boolean =
    ends.zip(streams).forall { case (end, read) =>
      val positions = TopicOffsets.parseAll(read.committed.getOrElse(NONE))
      TopicOffsets.parseAll(end).forall { case (topic, offsets) =>
        offsets.next.forall { case (partition, offset) =>
          offset == 0 ||
          positions.get(topic).flatMap(_.next.get(partition)).fold(areNewer)(_ >= offset)
        }
      }
    }
}
