package io.eddyline.spark.shim

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing._

/** Spark's logs of offsets. */
private[spark] object OffsetShim {

  /** Returns the newest entry of a log; None if no micro-batch has begun. */
  def newest(session: SparkSession, log: Path): Option[BatchOffsets] =
    new OffsetSeqLog(session, log.toString).getLatest().map { case (batch, entry) =>
      val conf = entry.metadata.fold(Map.empty[String, String])(_.conf)
      BatchOffsets(batch, entry.offsets.size, conf)
    }
}
