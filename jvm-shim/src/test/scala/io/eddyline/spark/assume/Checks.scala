package io.eddyline.spark.assume

import java.io.File
import java.util.concurrent.FutureTask

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import io.eddyline.spark.assume.check.VerifyClaimExec
import io.eddyline.spark.assume.verdict.VerdictMemory

/** Accesses the driver's verdicts on claims, and the metrics of checks. */
object Checks extends AdaptiveSparkPlanHelper {

  /** Clears the driver's fingerprints, as a restart does. */
  def forget(): Unit = VerdictMemory.resultsByKey.clear()

  /** Changes a file's modification time; for `reflect` in a query that reads it. */
  def touch(path: String): String = {
    require(new File(path).setLastModified(1700000000000L), s"no file: $path")
    path
  }

  /** Runs a statement; for `reflect` in a query, whose tasks have no active session. */
  def run(statement: String): String = {
    val run = new FutureTask[Array[Row]](() =>
      SparkSession.getDefaultSession.get.sql(statement).collect())
    new Thread(run).start()
    run.get()
    statement
  }

  /** Returns a metric of the only check in a query that has run. */
  def metric(frame: Dataset[Row], name: String): Long = {
    val Seq(check) = collect(frame.queryExecution.executedPlan) {
      case check: VerifyClaimExec => check
    }
    check.metrics(name).value
  }
}
