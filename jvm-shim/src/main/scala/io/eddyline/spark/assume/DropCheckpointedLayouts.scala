package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions.{Expression, TransformExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{LogicalRDD, RDDScanExec, SparkPlan, SparkStrategy}

import io.eddyline.spark.assume.units.LayoutFunction

/**
 * Plans the rows of `checkpoint()` or `localCheckpoint()` without their partitioning by a layout.
 * The checkpoint lacks the scan that would have to be checked with the other side of a join.
 */
object DropCheckpointedLayouts extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case rows: LogicalRDD if isByLayout(rows.outputPartitioning) =>
      RDDScanExec(rows.output, rows.rdd, "ExistingRDD",
        UnknownPartitioning(rows.outputPartitioning.numPartitions), rows.outputOrdering,
        rows.stream) :: Nil
    case _ => Nil
  }

  private def isByLayout(partitioning: Partitioning): Boolean = partitioning match {
    case by: Expression => by.exists {
        case transform: TransformExpression => transform.function.isInstanceOf[LayoutFunction]
        case _ => false
      }
    case _ => false
  }
}
