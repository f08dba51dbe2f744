package io.eddyline.spark.streamingquery

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.QualifiedNames
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

/**
 * Writes each micro-batch into a table of Delta once. Delta's log keeps the number of the last
 * micro-batch of each query, which confs tell it, and a write with that number is left out.
 */
private[streamingquery] class DeltaBatches(session: SparkSession, name: Seq[String]) {
  import DeltaBatches._

  private var isFirst = true

  /** Whether the table is one of Delta: of the session catalog, or named by its path. */
  private lazy val isTarget: Boolean =
    name.size == 2 && name.head.equalsIgnoreCase(PROVIDER) ||
      QualifiedNames.sessionMetadata(session, name)
        .exists(_.provider.exists(_.equalsIgnoreCase(PROVIDER)))

  /**
   * Whether the table may have the next micro-batch already; only the first one of a run may be
   * written again. If so, its rows must be computed before the write: Delta may skip the write, but
   * the state of the query must be committed.
   */
  def mayHaveNextBatch: Boolean = isTarget && isFirst

  /**
   * Runs the write of a micro-batch, which leaves it out if the table has it.
   *
   * @param running the session in which the query runs
   */
  def once(running: SparkSession, id: Long)(write: => Unit): Unit =
    if (!isTarget) {
      write
    } else {
      running.conf.set(APPLICATION, s"eddyline-${MicroBatch.queryId(running).get}")
      running.conf.set(VERSION, id)
      try write
      finally Seq(APPLICATION, VERSION).foreach(running.conf.unset)
      isFirst = false
    }
}

private object DeltaBatches {
  private val PROVIDER = "delta"
  private val APPLICATION = "spark.databricks.delta.write.txnAppId"
  private val VERSION = "spark.databricks.delta.write.txnVersion"
}
