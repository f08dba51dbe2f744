package io.eddyline.spark.kafka

import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.streaming.{MicroBatchStream, Offset}
import org.scalatest.funsuite.AnyFunSuite

class TopicIdsSuite extends AnyFunSuite {

  test("a connector with other classes tells no id") {
    val ids = new TopicIds(OtherStream)
    assert(Seq.fill(2)(ids.of("topic")) === Seq(None, None))
    ids.close()
  }

  private object OtherStream extends MicroBatchStream {
    override def latestOffset(): Offset = initialOffset()

    override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] =
      Array.empty

    override def createReaderFactory(): PartitionReaderFactory = fail("nothing is read")

    override def initialOffset(): Offset = fail("nothing is read")

    override def deserializeOffset(json: String): Offset = fail("nothing is read")

    override def commit(end: Offset): Unit = ()

    override def stop(): Unit = ()
  }
}
