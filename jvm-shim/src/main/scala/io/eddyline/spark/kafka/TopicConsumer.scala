package io.eddyline.spark.kafka

import java.time.Duration
import java.util.{Collection => JCollection, Collections, HashMap => JHashMap, Map => JMap}

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream

import io.eddyline.spark.kafka.KafkaClasses.{call, unwrapped}

/**
 * Reads the records of a topic with a consumer of its own, which has the settings and the login of
 * a stream of Spark's Kafka source and belongs to no group. For one thread, but for `wakeUp`.
 *
 * Errors: those of Kafka's client, such as OffsetOutOfRangeException if records were lost.
 *
 * @param from the offsets of the first records, in all partitions
 */
private[spark] class TopicConsumer(stream: MicroBatchStream, topic: String, from: TopicOffsets)
  extends AutoCloseable {
  import TopicConsumer._

  private val loader = stream.getClass.getClassLoader
  private val consumer: AnyRef = {
    val settings = call(KafkaClasses.strategy(stream), "setAuthenticationConfigIfNeeded",
      classOf[JMap[_, _]] -> KafkaClasses.settings(stream)).asInstanceOf[JMap[String, AnyRef]]
    val own = new JHashMap(settings)
    own.putAll(SETTINGS.asJava)
    unwrapped(loader.loadClass(s"$PACKAGE.clients.consumer.KafkaConsumer")
        .getConstructor(classOf[JMap[_, _]]).newInstance(own).asInstanceOf[AnyRef])
  }
  private val partitionType = loader.loadClass(s"$PACKAGE.common.TopicPartition")
  private val fields = FIELDS.map(
    loader.loadClass(s"$PACKAGE.clients.consumer.ConsumerRecord").getMethod(_))
  private val partitions = from.next.toMap.map { case (number, _) =>
    number -> partitionType.getConstructor(classOf[String], classOf[Int])
      .newInstance(topic, Int.box(number)).asInstanceOf[AnyRef]
  }

  call(consumer, "assign", classOf[JCollection[_]] -> partitions.values.asJavaCollection)
  from.next.foreach { case (number, offset) =>
    val partition = partitions(number)
    if (offset == TopicOffsets.EARLIEST) {
      call(consumer, "seekToBeginning",
        classOf[JCollection[_]] -> Collections.singleton(partition))
    } else call(consumer, "seek", partitionType -> partition, classOf[Long] -> Long.box(offset))
  }

  /** The offsets of the next records. */
  def position: TopicOffsets =
    TopicOffsets(SortedMap.from(partitions.map { case (number, partition) =>
      number -> call(consumer, "position", partitionType -> partition).asInstanceOf[Long]
    }))

  /**
   * Waits for records, and passes what has come to `onRecord`: key, value, partition, offset and
   * timestamp, in the order of offsets in each partition.
   */
  def poll(timeout: Duration)(onRecord: InternalRow => Unit): Unit = {
    val records =
      try call(consumer, "poll", classOf[Duration] -> timeout)
      catch {
        case e: Exception if e.getClass.getSimpleName == "InterruptException" =>
          Thread.interrupted() // as of every other InterruptedException
          throw new InterruptedException(e.getMessage)
      }
    records.asInstanceOf[java.lang.Iterable[AnyRef]].forEach { record =>
      val Seq(key, value, partition, offset, timestamp) = fields.map(_.invoke(record))
      onRecord(InternalRow(key, value, partition, offset, timestamp.asInstanceOf[Long] * 1000))
    }
  }

  /** Ends the `poll` of another thread, or its next one, by an error. */
  def wakeUp(): Unit = call(consumer, "wakeup"): Unit

  override def close(): Unit = consumer.asInstanceOf[AutoCloseable].close()
}

private object TopicConsumer {
  private val PACKAGE = "org.apache.kafka"
  private val FIELDS = Seq("key", "value", "partition", "offset", "timestamp")
  private val SETTINGS = Map(
    "auto.offset.reset" -> "none",
    "allow.auto.create.topics" -> "false", // else it makes a deleted topic again
    "max.poll.records" -> "10000")
}
