package io.eddyline.spark.kafka

import java.lang.reflect.InvocationTargetException
import java.util.{Collection => JCollection, Collections, Map => JMap}
import java.util.concurrent.Future

import org.apache.spark.internal.Logging
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream

/**
 * Asks the broker for the id of a topic: a topic that was deleted and created again has another
 * one. Spark's source of Kafka does not ask for it, so this is a client of its own, with the
 * settings and the login of the source. The connector is not on the class path of this jar, so its
 * classes are called by reflection. With a connector that lacks any of this the id is unknown.
 */
private[kafka] class TopicIds(stream: MicroBatchStream) extends AutoCloseable with Logging {
  private var opened: Option[AutoCloseable] = None
  private var isSupported = true

  private def client: AutoCloseable = opened.getOrElse {
    val made = open()
    opened = Some(made)
    made
  }

  private def open(): AutoCloseable = {
    val reader = call(stream, "kafkaOffsetReader")
    val strategy = reader.getClass.getDeclaredField("consumerStrategy")
    strategy.setAccessible(true)
    call(strategy.get(reader), "createAdmin",
      classOf[JMap[_, _]] -> call(reader, "driverKafkaParams"))
      .asInstanceOf[AutoCloseable]
  }

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

  private def call(target: AnyRef, method: String, arguments: (Class[_], AnyRef)*): AnyRef =
    try target.getClass.getMethod(method, arguments.map(_._1): _*)
        .invoke(target, arguments.map(_._2): _*)
    catch { case failed: InvocationTargetException => throw failed.getCause }
}
