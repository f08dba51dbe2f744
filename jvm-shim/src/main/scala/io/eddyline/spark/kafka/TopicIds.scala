package io.eddyline.spark.kafka

import java.util.{Collection => JCollection, Collections, Map => JMap}
import java.util.concurrent.Future

import org.apache.spark.internal.Logging
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream

import io.eddyline.spark.kafka.KafkaClasses.call

/**
 * Asks the broker for the id of a topic: a topic that was deleted and created again has another
 * one. Spark's source of Kafka does not ask for it, so this is a client of its own, with the
 * settings and the login of the source. The id is unknown with a connector that lacks any of what
 * is called.
 *
 * @param stream a stream of Spark's Kafka source
 */
private[kafka] class TopicIds(stream: MicroBatchStream) extends AutoCloseable with Logging {
  private var opened: Option[AutoCloseable] = None
  private var isSupported = true

  private def client: AutoCloseable = opened.getOrElse {
    val made = open()
    opened = Some(made)
    made
  }

  private def open(): AutoCloseable = call(KafkaClasses.strategy(stream), "createAdmin",
    classOf[JMap[_, _]] -> KafkaClasses.settings(stream)).asInstanceOf[AutoCloseable]

  /** Returns the id of a topic; None: the broker is older than Kafka 2.8, or it is unknown. */
  def of(topic: String): Option[String] =
    if (!isSupported) None
    else {
      try ask(topic)
      catch {
        case e: ReflectiveOperationException =>
          logWarning("Topics that are deleted and created again are not noticed: this connector " +
              "of Kafka does not tell the ids of topics", e)
          isSupported = false
          None
      }
    }

  private def ask(topic: String): Option[String] = {
    val asked = call(client, "describeTopics",
      classOf[JCollection[_]] -> Collections.singletonList(topic))
    val described = call(asked, "allTopicNames").asInstanceOf[Future[JMap[String, AnyRef]]].get
    val id = call(described.get(topic), "topicId")
    Option.when(id != id.getClass.getField("ZERO_UUID").get(null))(id.toString)
  }

  override def close(): Unit = opened.foreach(_.close())
}
