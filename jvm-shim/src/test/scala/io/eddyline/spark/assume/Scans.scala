package io.eddyline.spark.assume

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import io.eddyline.spark.assume.units.UnitScanExec

/** Reads the metrics of scans in a query that has run. */
object Scans extends AdaptiveSparkPlanHelper {

  /** Returns a metric of the only scan of a table. */
  def ofTable(frame: Dataset[Row], table: String, name: String): Long = metric(frame, name) {
    case scan: FileSourceScanExec if scan.tableIdentifier.exists(_.table == table) => scan
  }

  /** Returns a metric of the only scan by units. */
  def ofUnits(frame: Dataset[Row], name: String): Long = metric(frame, name) {
    case units: UnitScanExec => units
  }

  private def metric(frame: Dataset[Row], name: String)(
      node: PartialFunction[SparkPlan, SparkPlan]): Long = {
    val Seq(found) = collect(frame.queryExecution.executedPlan)(node)
    found.metrics(name).value
  }
}
