package io.eddyline.spark.assume

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

/** What a driver knows of claims about files, from its checks. */
object Checks extends AdaptiveSparkPlanHelper {

  /** As after a restart. */
  def forget(): Unit = VerdictMemory.questions.clear()

  /** A metric of the only check in a query that has run. */
  def metric(frame: Dataset[Row], name: String): Long = {
    val Seq(check) = collect(frame.queryExecution.executedPlan) {
      case check: CheckUnitsExec => check
    }
    check.metrics(name).value
  }
}
