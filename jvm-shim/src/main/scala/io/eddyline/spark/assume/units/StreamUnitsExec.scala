package io.eddyline.spark.assume.units

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{RDDScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.{MicroBatchScanExec, RealTimeStreamScanExec}

import io.eddyline.spark.assume.claim.{ClaimText, Layout, Proof}
import io.eddyline.spark.base.{EddylineErrors, RealTime, RowAtATimeOperator}
import io.eddyline.spark.kafka.TopicPartitions

/**
 * Sends the records of each partition of a topic to the task with the same number, in every
 * micro-batch, and checks for each record that Spark's hash of its keys is that number. So the
 * partitioning that it reports is the one that a shuffle would have made, and Spark finds the state
 * of a key also without this operator.
 *
 * Errors at the clause: EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED, TOPIC_PARTITIONS, WRONG_PARTITION.
 *
 * @param layout the layout of the claim, USING HASH
 * @param size the number of partitions that the claim gives
 * @param child operators that keep the partitions of a scan of a topic
 */
case class StreamUnitsExec(keys: Seq[Expression], layout: Layout, size: Int, child: SparkPlan)
  extends ClaimExec with RowAtATimeOperator {

  override def output: Seq[Attribute] = child.output

  override def unitKeys: Seq[Expression] = keys

  override def outputPartitioning: HashPartitioning = HashPartitioning(keys, size)

  override def serves(required: ClusteredDistribution, partitioning: Partitioning): Boolean = true

  /** The topics that the micro-batch reads. */
  def relation: String = ends.flatMap(_.keys).distinct match {
    case Seq() => "a stream"
    case topics => topics.mkString(", ")
  }

  /** The partitions of each topic that the micro-batch reads, in ascending order. */
  private def ends: Seq[Map[String, Seq[Int]]] = child.collectLeaves().collect {
    case scan: MicroBatchScanExec => TopicPartitions.of(scan.end)
    case scan: RealTimeStreamScanExec => TopicPartitions.of(scan.inputPartitions)
  }

  override protected def doExecute(): RDD[InternalRow] = {
    requireMicroBatch()
    requirePartitions()
    val rows = child.execute()
    val numbers = rows.partitions.toSeq.map { split =>
      TopicPartitions.of(split).getOrElse(notSupported(
          "the source does not tell which partition of a topic it reads", "Leave ASSUME out."))
    }
    if (RealTime.readsStream(child) && numbers.distinct.size < numbers.size) {
      notSupported("a task of real-time mode would read one topic after the end of another",
        "Leave ASSUME out, or read one topic.")
    }
    // tasks do not have this operator
    val (number, text) = (outputPartitioning.partitionIdExpression, TryKey.text(keys))
    val (output, place) = (child.output, origin)
    val claim = Map("keys" -> ClaimText.sql(keys), "layout" -> layout.sql, "topic" -> relation)
    rows.coalesce(size, shuffle = false, Some(new PartitionNumberCoalescer(numbers)))
      .mapPartitionsWithIndex { (unit, rows) =>
        val numberOf = UnsafeProjection.create(Seq(number), output)
        rows.map { row =>
          val expected = numberOf(row).getInt(0)
          if (expected != unit) {
            val key = UnsafeProjection.create(Seq(text), output)(row).getUTF8String(0).toString
            throw EddylineErrors.runtime("EDDYLINE_ASSUME.WRONG_PARTITION",
              claim ++ Map(
                "key" -> key, "partition" -> unit.toString, "expected" -> expected.toString),
              place)
          }
          row
        }
      }
  }

  private def requireMicroBatch(): Unit = child.collectLeaves().foreach {
    case _: MicroBatchScanExec | _: RealTimeStreamScanExec =>
    case nothing: RDDScanExec if nothing.rdd.partitions.isEmpty => // it has no new records
    case other => notSupported(
        s"${ClaimText.operator(other)} reads no micro-batch of a topic", "Leave ASSUME out.")
  }

  private def requirePartitions(): Unit = ends.flatten.foreach { case (topic, partitions) =>
    if (partitions != Seq.range(0, size)) {
      EddylineErrors.fail("EDDYLINE_ASSUME.TOPIC_PARTITIONS", origin,
        "keys" -> ClaimText.sql(keys), "layout" -> layout.sql, "topic" -> topic,
        "partitions" -> partitions.mkString(", "), "last" -> (size - 1).toString)
    }
  }

  private def notSupported(reason: String, hint: String): Nothing =
    EddylineErrors.fail("EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED", origin,
      "reason" -> reason, "hint" -> hint)

  override def simpleString(maxFields: Int): String =
    s"$nodeName [${ClaimText.sql(keys)}]${layout.sql} ${Proof.HashCheck.name}, $size units$usesText"

  override protected def withNewChildInternal(newChild: SparkPlan): StreamUnitsExec =
    copy(child = newChild)
}
