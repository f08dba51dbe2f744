package io.eddyline.spark.shim

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing._

/** The newest entry of a log of offsets. */
private[spark] class OffsetShim(session: SparkSession, log: Path) {
  private val newest = new OffsetSeqLog(session, log.toString).getLatest()

  /** The number of the micro-batch. */
  def batch: Option[Long] = newest.map(_._1)

  /** The number of streams whose offsets it has. */
  def sourceCount: Int = newest.fold(0)(_._2.offsets.size)

  /** The confs with which the micro-batch ran. */
  def conf: Map[String, String] =
    newest.flatMap(_._2.metadata).fold(Map.empty[String, String])(_.conf)
}
