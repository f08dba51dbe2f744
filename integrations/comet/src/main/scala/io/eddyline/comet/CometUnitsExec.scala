package io.eddyline.comet

import org.apache.arrow.c.ArrowArrayStream
import org.apache.comet.serde.OperatorOuterClass.Operator
import org.apache.comet.serde.operator.CometNativeScan
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.comet._
import org.apache.spark.sql.comet.execution.arrow.CometArrowStream
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.eddyline.spark.assume.check.VerifyExec
import io.eddyline.spark.assume.units.{NativeUnitsExec, UnitScanExec}

/**
 * Reads the units of a claim with Comet's scan, one in each task. The operators below stand for
 * what the claim says: the check runs before the first row. If it does not confirm the claim, they
 * run in place of Comet's scan, and shuffle.
 */
class CometUnitsExec(child: SparkPlan)
  extends CometSparkToColumnarExec(child) with NativeUnitsExec {

  override def nodeName: String = "CometUnits"

  override def doExecuteColumnar(): RDD[ColumnarBatch] =
    native.getOrElse(super.doExecuteColumnar())

  override def doExecuteAsArrowStream(): RDD[ArrowArrayStream] =
    native.fold(super.doExecuteAsArrowStream()) { batches =>
      CometArrowStream.wrapColumnarBatchRDD(
        batches, schema, CometArrowStream.NATIVE_TIMEZONE, nodeName)
    }

  /** What Comet's scan reads; None if the claim is not confirmed. */
  private def native: Option[RDD[ColumnarBatch]] = for {
    units <- child.collectFirst { case units: UnitScanExec => units }
    if child.collectFirst { case check: VerifyExec => check }.forall(_.isConfirmed)
  } yield {
    val rows = units.scan.longMetric("numOutputRows")
    units.readBy(scan(units, _).executeColumnar()).map { batch =>
      rows += batch.numRows()
      batch
    }
  }

  private def scan(units: UnitScanExec, partitions: Array[FilePartition]): SparkPlan = {
    val read = new UnitsScan(units, partitions)
    val operator = CometNativeScan.convert(read, Operator.newBuilder().setPlanId(id))
      .getOrElse(throw new IllegalStateException(s"Comet does not read ${units.scan}"))
    CometNativeScanExec(operator, units.scan, session, read)
  }

  override protected def withNewChildInternal(newChild: SparkPlan): CometUnitsExec =
    new CometUnitsExec(newChild)
}
