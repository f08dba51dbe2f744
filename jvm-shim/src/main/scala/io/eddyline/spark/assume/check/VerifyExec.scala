package io.eddyline.spark.assume.check

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SQLExecution, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.eddyline.spark.assume.verdict.Verdict

/** An operator that checks a claim before it returns the first row. */
trait VerifyExec extends UnaryExecNode {

  /** The claimed keys, over the columns of the scan. */
  def keys: Seq[Expression]

  /**
   * Whether the claim is true, so that this operator returns the rows of its child as they are. The
   * first call checks the claim. If it is false, the rows that this operator returns are shuffled,
   * or the call raises the error of the clause.
   */
  def isConfirmed: Boolean

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def nodeName: String = "CheckAssumption"

  protected def checkMetrics: Map[String, SQLMetric] = Map(
    "filesChecked" -> SQLMetrics.createMetric(sparkContext, "number of files checked"),
    "keysChecked" -> SQLMetrics.createMetric(sparkContext, "number of keys checked"),
    "checkTime" -> SQLMetrics.createTimingMetric(sparkContext, "time of the check"))

  /** Runs a check and sets the metrics; returns its verdict. */
  private[assume] def measured(check: => ClaimVerifier.Result): Verdict = {
    val started = System.nanoTime()
    val found = check
    longMetric("checkTime").set((System.nanoTime() - started) / 1000000)
    longMetric("filesChecked").set(found.files)
    longMetric("keysChecked").set(found.keys)
    found.verdict
  }

  /** Sends the metrics to the UI, since no task reports them. */
  protected def postMetrics(): Unit = SQLMetrics.postDriverMetricUpdates(
    sparkContext,
    sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
    metrics.values.toSeq)
}
