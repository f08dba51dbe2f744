package io.eddyline.tests

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * An extension that replaces Spark's scans by nodes of its own, as native engines do.
 * `spark.eddyline.tests.otherScans` selects a query stage preparation rule (PREPARATION), or a
 * columnar rule whose scans return rows (COLUMNAR) or vectors (VECTORS).
 */
class OtherScans extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectQueryStagePrepRule(_ => ReplaceScans("PREPARATION"))
    extensions.injectColumnar(_ =>
      new ColumnarRule {
        override def preColumnarTransitions: Rule[SparkPlan] = plan =>
          ReplaceScans("VECTORS")(ReplaceScans("COLUMNAR")(plan))
      })
  }
}

private case class ReplaceScans(phase: String) extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (conf.getConfString("spark.eddyline.tests.otherScans", "") == phase) {
      plan.transformUp { case scan: FileSourceScanExec => OtherScanExec(scan, phase == "VECTORS") }
    } else {
      plan
    }
}

/** Runs a scan as a leaf of another class, which does not report the scan's partitioning. */
private case class OtherScanExec(scan: FileSourceScanExec, vectors: Boolean) extends LeafExecNode {
  override def output: Seq[Attribute] = scan.output

  override def supportsColumnar: Boolean = vectors && scan.supportsColumnar

  override protected def doExecute(): RDD[InternalRow] =
    (if (scan.supportsColumnar) ColumnarToRowExec(scan) else scan).execute()

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = scan.executeColumnar()
}
