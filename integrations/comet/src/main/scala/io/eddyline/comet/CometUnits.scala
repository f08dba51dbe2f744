package io.eddyline.comet

import org.apache.comet.rules.{CometContribScanMarker, CometScanContrib}
import org.apache.comet.serde.CometOperatorSerde
import org.apache.comet.serde.OperatorOuterClass.Operator
import org.apache.comet.serde.operator.CometSink
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.comet.{
  CometExec, CometNativeExec, CometNativeScanExec, CometScanWrapper
}
import org.apache.spark.sql.execution.{ColumnarToRowExec, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

import io.eddyline.spark.assume.check.VerifyExec
import io.eddyline.spark.assume.units.{NativeUnits, NativeUnitsExec}

/** Has Comet read claimed files by units. */
class CometUnits extends NativeUnits {
  override def replaces(reader: SparkPlan): Boolean = reader.isInstanceOf[CometNativeScanExec]

  override def read(claim: SparkPlan): NativeUnitsExec = ClaimMarkerExec(claim)

  override def original(operator: SparkPlan): Option[SparkPlan] = operator match {
    case native: CometExec => Some(native.originalPlan)
    case _ => None
  }
}

/** Keeps Comet from replacing a claimed scan alone, without the units above it. */
class ClaimedScans extends CometScanContrib {
  override def tryTransformV1(
      plan: SparkPlan,
      session: SparkSession,
      scan: FileSourceScanExec,
      relation: HadoopFsRelation): Option[SparkPlan] = {
    val isClaimed = plan.exists {
      case claim: NativeUnitsExec => claim.exists(_ eq scan)
      case _ => false
    }
    Option.when(isClaimed)(scan)
  }
}

/** Marks a claim for Comet, which replaces this by a [[CometUnitsExec]], or leaves it to Spark. */
case class ClaimMarkerExec(child: SparkPlan) extends NativeUnitsExec with CometContribScanMarker {
  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def scanHandler: CometOperatorSerde[_ <: SparkPlan] = ClaimMarkerExec.Source

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): ClaimMarkerExec =
    copy(child = newChild)
}

private object ClaimMarkerExec {
  private object Source extends CometSink[ClaimMarkerExec] {
    override def createExec(nativeOp: Operator, marker: ClaimMarkerExec): CometNativeExec =
      CometScanWrapper(nativeOp,
        new CometUnitsExec(marker.child match {
          case check: VerifyExec => check.mapChildren(inRows)
          case units => units
        }))

    /** Spark inserts no transitions below an operator that makes vectors of rows. */
    private def inRows(plan: SparkPlan): SparkPlan =
      if (plan.supportsColumnar) ColumnarToRowExec(plan) else plan
  }
}
