package io.eddyline.spark.streamingquery

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

/** The progress of micro-batches that have run. */
private[spark] object MicroBatchProgress {

  /**
   * Returns the progress of the recent micro-batches that Spark keeps, oldest first.
   *
   * Every `spark.sql.streaming.noDataProgressEventInterval` Spark also keeps one of a trigger that
   * found no data. It repeats the metrics of the micro-batch before it, so it is left out.
   */
  def of(query: StreamingQuery): Seq[StreamingQueryProgress] =
    query.recentProgress.toSeq.filter(_.durationMs.containsKey("addBatch"))
}
