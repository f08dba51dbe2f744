package io.eddyline.spark.emit

import org.apache.spark.sql.{DataFrame, SQLContext}
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.sources.StreamSinkProvider
import org.apache.spark.sql.streaming.OutputMode

/** A sink that eddyline does not know, and that is made for one output mode. */
class OtherSink extends StreamSinkProvider {
  override def createSink(
      context: SQLContext,
      options: Map[String, String],
      partitions: Seq[String],
      mode: OutputMode): Sink = new Sink {
    override def addBatch(batch: Long, rows: DataFrame): Unit = ()
    override def toString: String = "other"
  }
}
