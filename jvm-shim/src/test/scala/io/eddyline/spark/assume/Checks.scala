package io.eddyline.spark.assume

import java.io.File
import java.util.concurrent.FutureTask

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import io.eddyline.spark.assume.check.VerifyClaimExec
import io.eddyline.spark.assume.verdict.VerdictMemory

/** What a driver knows of claims about files, from its checks. */
object Checks extends AdaptiveSparkPlanHelper {

  /** As after a restart. */
  def forget(): Unit = VerdictMemory.fingerprints.clear()

  /** Gives a file another time of change; for `reflect` in a query that reads it. */
  def touch(path: String): String = {
    require(new File(path).setLastModified(1700000000000L), s"no file: $path")
    path
  }

  /** Runs a statement; for `reflect` in a query, whose tasks know of no session. */
  def run(statement: String): String = {
    val run = new FutureTask[Array[Row]](() =>
      SparkSession.getDefaultSession.get.sql(statement).collect())
    new Thread(run).start()
    run.get()
    statement
  }

  /** A metric of the only check in a query that has run. */
  def metric(frame: Dataset[Row], name: String): Long = {
    val Seq(check) = collect(frame.queryExecution.executedPlan) {
      case check: VerifyClaimExec => check
    }
    check.metrics(name).value
  }
}
