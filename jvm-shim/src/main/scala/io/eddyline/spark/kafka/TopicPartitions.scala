package io.eddyline.spark.kafka

import scala.util.Try

import org.apache.spark.Partition
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.streaming.Offset
import org.apache.spark.sql.execution.datasources.v2.DataSourceRDDPartition

import io.eddyline.spark.shim.PlanShim

/**
 * Reads the partitions of topics from what Spark's Kafka source gives to a micro-batch. The
 * connector is not on the class path of this jar, so its classes are read by reflection.
 */
private[spark] object TopicPartitions {

  /**
   * Returns the partitions of each topic, sorted, from the offsets at which a micro-batch ends: a
   * JSON object such as `{"topic":{"0":7,"1":0}}`. A partition without new records is among them.
   */
  def of(end: Offset): Map[String, Seq[Int]] =
    TopicOffsets.parseAll(end.json).view.mapValues(_.next.keys.toSeq).toMap

  /** Returns the partitions of each topic, sorted, from those that real-time mode reads. */
  def of(inputs: Seq[InputPartition]): Map[String, Seq[Int]] =
    inputs.map(input => call(call(input, "offsetRange"), "topicPartition"))
      .groupMap(call(_, "topic").toString)(call(_, "partition").toString.toInt)
      .view.mapValues(_.sorted).toMap

  /** The partition whose records a partition of a scan reads; None if it reads no topic. */
  def of(split: Partition): Option[Int] = split match {
    case source: DataSourceRDDPartition => PlanShim.split(source).flatMap { input =>
        Try(call(call(input, "offsetRange"), "partition")).toOption.collect {
          case number: Int => number
        }
      }
    case _ => None
  }

  private def call(target: Any, method: String): Any =
    target.getClass.getMethod(method).invoke(target)
}
