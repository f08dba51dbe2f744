package io.eddyline.spark.streamingquery

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.eddyline.QualifiedNames

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
      QualifiedNames.sessionTable(session, name).exists { table =>
        val catalog = session.sessionState.catalog
        catalog.tableExists(table) &&
        catalog.getTableMetadata(table).provider.exists(_.equalsIgnoreCase(PROVIDER))
      }

  /** Writes a micro-batch, unless the table has it already. */
  def write(rows: Dataset[Row], id: Long)(write: => Unit): Unit =
    if (!isTarget) {
      write
    } else {
      val conf = rows.sparkSession.conf
      val query = rows.sparkSession.sparkContext.getLocalProperty(QUERY_ID)
      conf.set(APPLICATION, s"eddyline-$query")
      conf.set(VERSION, id)
      try if (isFirst) computed(rows)(write) else write
      finally Seq(APPLICATION, VERSION).foreach(conf.unset)
      isFirst = false
    }

  /**
   * Computes the rows before they are written. Only the first micro-batch of a run may be one that
   * the table has, and one that is left out must compute its rows too, to commit its state.
   */
  private def computed(rows: Dataset[Row])(write: => Unit): Unit = {
    rows.persist()
    try {
      rows.count()
      write
    } finally rows.unpersist(): Unit
  }
}

private object DeltaBatches {
  private val PROVIDER = "delta"

  /** Spark's local property with the id of the streaming query, which its checkpoint keeps. */
  private val QUERY_ID = "sql.streaming.queryId"
  private val APPLICATION = "spark.databricks.delta.write.txnAppId"
  private val VERSION = "spark.databricks.delta.write.txnVersion"
}
