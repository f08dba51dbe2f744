package io.eddyline.spark

import org.apache.spark.sql.SparkSession

import io.eddyline.spark.report.QueryReports
import io.eddyline.spark.streamingquery.{StreamingQueries, TargetTables}

/** What starts with the sessions of an application. */
private object EddylineApplication {

  /**
   * Begins what a session needs. The first session of an application also starts the streaming
   * queries that were running, if `spark.eddyline.streamingQuery.autoStart` is on.
   */
  def begin(session: SparkSession): Unit = {
    TargetTables.track(session)
    StreamingQueries.beginAtStart(session)
    QueryReports.start(session.sparkContext)
  }
}
