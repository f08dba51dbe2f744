package io.eddyline.spark.assume.units

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, SQLExecution}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration

import io.eddyline.spark.assume.claim.{ClaimText, Layout, Proof}
import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.shim.PlanShim

/**
 * Reads each unit of a file scan in one task, and reports the units as its partitioning. Rows,
 * vectors and metrics are those of the scan.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.PLAN_OUTDATED, FILE_CHANGED.
 *
 * @param columns the partition columns among the keys, whose values are the units; if empty, a unit
 *                is a file or a part number
 * @param used whether an operator above relies on the partitioning; if not, the scan runs as it is
 * @param child the scan; or the operator by which another extension has replaced it, until
 *              [[io.eddyline.spark.assume.ShuffleReplacedScans]] removes this node
 * @param planned the units of the listing at planning. A scan lists its files again when it runs;
 *                the files that it finds then are read as these units
 */
case class UnitScanExec(
    keys: Seq[Expression],
    columns: Seq[Attribute],
    layout: Layout,
    proof: Proof,
    claimId: ExprId,
    used: Boolean,
    child: SparkPlan)(
    @transient val planned: ScanUnits)
  extends ClaimExec {

  override protected def otherCopyArgs: Seq[AnyRef] = planned :: Nil

  override def output: Seq[Attribute] = child.output

  override def supportsColumnar: Boolean = !isReplaced && child.supportsColumnar

  override def vectorTypes: Option[Seq[String]] = if (isReplaced) None else child.vectorTypes

  override lazy val metrics: Map[String, SQLMetric] =
    Map("numUnits" -> SQLMetrics.createMetric(sparkContext, "number of units"))

  /** The units of the listing when the scan runs. */
  @transient private lazy val listed: ScanUnits = ScanUnits.of(scan, columns, layout)

  /** The partition columns among the keys if there are any, else all keys. */
  override def unitKeys: Seq[Expression] = if (columns.nonEmpty) columns else keys

  override def serves(required: ClusteredDistribution, partitioning: Partitioning): Boolean = true

  /** The claimed scan. */
  def scan: FileSourceScanExec = child match {
    case scan: FileSourceScanExec => scan
    case _ => planned.scan
  }

  /** Whether another extension has replaced the scan by an operator that does not read by units. */
  def isReplaced: Boolean = !child.isInstanceOf[FileSourceScanExec]

  def numUnits: Int = planned.ids.size

  /** The numbers of the units: their part numbers if the layout is numbered, else 0, 1, 2 …. */
  def unitNumbers: Seq[Int] = planned match {
    case numbered: NumberedUnits => numbered.ids
    case other => other.ids.indices
  }

  /** The files that are read. */
  def files: Seq[FileVersion] = listed.files

  def nameOf(file: FileVersion): String = listed.nameOf(file)

  /** Whether the units that are read equal the planned ones, in the same order. */
  def isAsPlanned: Boolean = listed.ids == planned.ids

  /** The name of a file or value that was added after planning and is in no unit, if any. */
  def fileOutsideUnits: Option[String] = listed.fileOutsideOf(planned)

  override def outputPartitioning: Partitioning = planned match {
    case _ if !used => child.outputPartitioning
    case byValue: PartitionValueUnits => PlanShim.keyed(columns, byValue.values)
    case _ if layout.hashed => HashPartitioning(keys, numUnits)
    case _ => layout.id.flatMap(LayoutFunction.partitioning(_, keys, unitNumbers))
        .getOrElse(AssumedPartitioning(keys, numUnits, claimId))
  }

  /** A scan for a check: it reads the keys in all rows of the same files. */
  @transient lazy val ofKeys: UnitScanExec = {
    val scan = KeyScan(this.scan, keys)
    copy(proof = Proof.Trusted, child = scan)(ScanUnits.of(scan, columns, layout))
  }

  /** Whether a subquery, as in dynamic pruning, may exclude listed files. */
  def hasSubquery: Boolean =
    scan.partitionFilters.exists(_.exists(_.isInstanceOf[PlanExpression[_]]))

  /** Whether every file is still as it was listed. */
  def isUnchanged: Boolean = FileVersion.areUnchanged(
    files, session.sessionState.newHadoopConfWithOptions(scan.relation.options))

  /** Lets tasks fail if a file has changed since it was listed; None if nothing was checked. */
  private def guard: Option[UnchangedFilesGuard] = Option.when(isChecked) {
    val conf = session.sessionState.newHadoopConfWithOptions(scan.relation.options)
    new UnchangedFilesGuard(ClaimText.keys(keys), ClaimText.relation(scan), origin,
      sparkContext.broadcast(new SerializableConfiguration(conf)))
  }

  /** Whether the claim is checked before this runs; a single unit needs no check of its own. */
  private def isChecked: Boolean = proof match {
    case Proof.Structural | Proof.Trusted => false
    case Proof.HashCheck | Proof.Checked =>
      numUnits > 1 || proof != Proof.HashCheck && layout.name.isDefined
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute() // executed first, since the scan waits for its subqueries
    if (used) new RegroupedScanRDD(rows, regrouped(), guard) else rows
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val batches = child.executeColumnar()
    if (used) new RegroupedScanRDD(batches, regrouped(), guard) else batches
  }

  /**
   * Lets another operator read the units, and checks that the files are as they were listed.
   *
   * @param read returns the rows of units, which are given by their files, in a partition for each
   */
  def readBy[T: ClassTag](read: Array[FilePartition] => RDD[T]): RDD[T] = {
    if (child.supportsColumnar) child.executeColumnar() else child.execute() // waits for subqueries
    val units = regrouped()
    val rows = read(units)
    guard.fold(rows)(new GuardedUnitsRDD(rows, units, _))
  }

  /** Returns the files of each planned unit, and sets the metrics. */
  private def regrouped(): Array[FilePartition] = {
    fileOutsideUnits.foreach { file =>
      throw EddylineErrors.runtime("EDDYLINE_ASSUME.PLAN_OUTDATED",
        Map("keys" -> ClaimText.keys(keys), "relation" -> ClaimText.relation(scan), "file" -> file),
        origin)
    }
    longMetric("numUnits").set(numUnits)
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      metrics.values.toSeq)
    listed.regroup(planned)
  }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(keys)}${layout.sql} ${proof.name}, $numUnits units$usesText"

  override protected def doCanonicalize(): SparkPlan = super.doCanonicalize() match {
    case same: UnitScanExec if used => same.copy(claimId = ExprId(0))(same.planned)
    case same: UnitScanExec => same.copy(Nil, Nil, claimId = ExprId(0))(same.planned)
    case other => other
  }

  override protected def withNewChildInternal(newChild: SparkPlan): UnitScanExec =
    copy(child = newChild)(planned)
}
