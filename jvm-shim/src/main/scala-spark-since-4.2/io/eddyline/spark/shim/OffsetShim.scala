package io.eddyline.spark.shim

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing._

/** Spark's logs of offsets. */
private[spark] object OffsetShim {

  /** Returns the newest entry of a log; None if no micro-batch has begun. */
  def newest(session: SparkSession, log: Path): Option[BatchOffsets] =
    new OffsetSeqLog(session, log.toString, true).getLatest().map { case (batch, entry) =>
      val sources = entry match {
        case byName: OffsetMap => byName.offsetsMap.size
        case inOrder => inOrder.offsets.size
      }
      val conf = entry.metadataOpt.fold(Map.empty[String, String])(_.conf)
      BatchOffsets(batch, sources, conf)
    }
}
