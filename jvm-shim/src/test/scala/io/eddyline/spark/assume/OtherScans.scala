package io.eddyline.spark.assume

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._

/**
 * An extension that replaces Spark's scans by nodes of its own, as native engines do.
 * `spark.eddyline.tests.otherScans` selects a query stage preparation rule (PREPARATION) or a
 * columnar rule (COLUMNAR).
 */
class OtherScans extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectQueryStagePrepRule(_ => ReplaceScans("PREPARATION"))
    extensions.injectColumnar(_ =>
      new ColumnarRule {
        override def preColumnarTransitions: Rule[SparkPlan] = ReplaceScans("COLUMNAR")
      })
  }
}

private case class ReplaceScans(phase: String) extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (conf.getConfString("spark.eddyline.tests.otherScans", "") == phase) {
      plan.transformUp { case scan: FileSourceScanExec => OtherScanExec(scan) }
    } else {
      plan
    }
}

/** Runs a scan as a leaf of another class, which does not report the scan's partitioning. */
private case class OtherScanExec(scan: FileSourceScanExec) extends LeafExecNode {
  override def output: Seq[Attribute] = scan.output

  override protected def doExecute(): RDD[InternalRow] =
    (if (scan.supportsColumnar) ColumnarToRowExec(scan) else scan).execute()
}
