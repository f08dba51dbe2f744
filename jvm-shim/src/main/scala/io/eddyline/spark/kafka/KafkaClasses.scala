package io.eddyline.spark.kafka

import java.lang.reflect.InvocationTargetException
import java.util.{Map => JMap}

import org.apache.spark.sql.connector.read.streaming.MicroBatchStream

/**
 * Calls classes of Kafka and of Spark's connector by reflection: neither is on the class path of
 * this jar.
 */
private[kafka] object KafkaClasses {

  /** Returns what creates clients with the login of a stream. */
  def strategy(stream: MicroBatchStream): AnyRef = {
    val reader = call(stream, "kafkaOffsetReader")
    val strategy = reader.getClass.getDeclaredField("consumerStrategy")
    strategy.setAccessible(true)
    strategy.get(reader)
  }

  /** Returns the settings of the clients of a stream on the driver. */
  def settings(stream: MicroBatchStream): JMap[String, AnyRef] =
    call(call(stream, "kafkaOffsetReader"), "driverKafkaParams")
      .asInstanceOf[JMap[String, AnyRef]]

  def call(target: AnyRef, method: String, arguments: (Class[_], AnyRef)*): AnyRef = unwrapped(
    target.getClass.getMethod(method, arguments.map(_._1): _*)
      .invoke(target, arguments.map(_._2): _*))

  /** Raises the error of what was called. */
  def unwrapped[T](called: => T): T =
    try called
    catch { case failed: InvocationTargetException => throw failed.getCause }
}
