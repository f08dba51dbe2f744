package io.eddyline.spark.assume.check

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SQLExecution, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.eddyline.spark.assume.verdict.Verdict

/** An operator that checks a claim before the first row, and passes every row on unchanged. */
trait VerifyExec extends UnaryExecNode {
  def keys: Seq[Expression]

  /**
   * Checks the claim, once. Whether it is true, so that this operator returns the rows of its child
   * as they are; else the rows that it returns are shuffled, or it throws.
   */
  def isConfirmed: Boolean

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def nodeName: String = "CheckAssumption"

  protected def checkMetrics: Map[String, SQLMetric] = Map(
    "filesChecked" -> SQLMetrics.createMetric(sparkContext, "number of files checked"),
    "keysChecked" -> SQLMetrics.createMetric(sparkContext, "number of keys checked"),
    "checkTime" -> SQLMetrics.createTimingMetric(sparkContext, "time of the check"))

  private[assume] def measured(check: => ClaimVerifier.Result): Verdict = {
    val started = System.nanoTime()
    val found = check
    longMetric("checkTime").set((System.nanoTime() - started) / 1000000)
    longMetric("filesChecked").set(found.files)
    longMetric("keysChecked").set(found.keys)
    found.verdict
  }

  protected def postMetrics(): Unit = SQLMetrics.postDriverMetricUpdates(
    sparkContext,
    sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
    metrics.values.toSeq)
}
