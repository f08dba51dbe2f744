package io.eddyline.spark.assume.units

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, SQLExecution}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration

import io.eddyline.spark.EddylineErrors
import io.eddyline.spark.assume.claim.{ClaimTags, ClaimText, DroppedClaim, Layout, Proof}

/**
 * Reads each unit of a file scan in one task, and reports that as its partitioning. Rows, vectors
 * and metrics are the scan's.
 *
 * @param keys as claimed, over the columns of the scan
 * @param columns the partition columns among the keys; a unit is a value of them, or without any a
 *                file or a part number
 * @param layout how the units are numbered, if they are files
 * @param proof how the claim is known to be true
 * @param claim tells the claims of a plan apart
 * @param used whether anything above builds on it; if not, it is the scan and nothing more
 * @param planned the units by the listing that the query was planned by. The scan lists once more
 *                when it runs, as every scan does, and what it finds is read as these units
 */
case class UnitScanExec(
    keys: Seq[Expression],
    columns: Seq[Attribute],
    layout: Layout,
    proof: Proof,
    claim: Long,
    used: Boolean,
    child: FileSourceScanExec)(
    @transient val planned: ScanUnits)
  extends ClaimExec {

  override protected def otherCopyArgs: Seq[AnyRef] = planned :: Nil

  override def output: Seq[Attribute] = child.output

  override def supportsColumnar: Boolean = child.supportsColumnar

  override def vectorTypes: Option[Seq[String]] = child.vectorTypes

  override lazy val metrics: Map[String, SQLMetric] =
    Map("numUnits" -> SQLMetrics.createMetric(sparkContext, "number of units"))

  /** The units by the listing that is read. */
  @transient private lazy val listed: ScanUnits = ScanUnits.of(scan, columns, layout)

  /** The partition columns, or all keys. */
  override def unitKeys: Seq[Expression] = if (columns.nonEmpty) columns else keys

  override def serves(need: ClusteredDistribution, partitioning: Partitioning): Boolean = true

  def numUnits: Int = planned.ids.size

  /** The numbers of units that are numbered. */
  def unitNumbers: Seq[Int] = planned match {
    case numbered: NumberedUnits => numbered.ids
    case other => other.ids.indices
  }

  /** The files that are read. */
  def files: Seq[FileVersion] = listed.files

  def nameOf(file: FileVersion): String = listed.nameOf(file)

  /** Whether the units are those of the plan, one by one. */
  def isAsPlanned: Boolean = listed.ids == planned.ids

  /** Something that came after the query was planned, and is in none of its units. */
  def misfit: Option[String] = listed.misfit(planned)

  override def outputPartitioning: Partitioning = planned match {
    case _ if !used => child.outputPartitioning
    case byValue: PartitionValueUnits => KeyedPartitioning(columns, byValue.values)
    case _ if layout.hashed => HashPartitioning(keys, numUnits)
    case _ => layout.id.flatMap(LayoutFunction.partitioning(_, keys, unitNumbers))
      .getOrElse(AssumedPartitioning(keys, numUnits, claim))
  }

  /** The same files by a scan of the keys in all their rows. */
  @transient lazy val ofKeys: UnitScanExec = {
    val scan = KeyScan(this.scan, keys)
    copy(child = scan)(ScanUnits.of(scan, columns, layout))
  }

  /** Whether a subquery leaves files out that are listed. */
  def hasSubquery: Boolean =
    scan.partitionFilters.exists(_.exists(_.isInstanceOf[PlanExpression[_]]))

  /** Whether every file is still as it was listed. */
  def isUnchanged: Boolean = FileVersion.unchanged(
    files, session.sessionState.newHadoopConfWithOptions(scan.relation.options))

  @transient private var guard: Option[UnchangedFilesGuard] = None

  /** From now on tasks read the files only as they were listed. */
  private[assume] def requireUnchanged(): Unit = {
    val conf = session.sessionState.newHadoopConfWithOptions(scan.relation.options)
    guard = Some(new UnchangedFilesGuard(ClaimText.keys(keys), ClaimText.relation(scan), origin,
      sparkContext.broadcast(new SerializableConfiguration(conf))))
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute() // first: the scan waits for its subqueries
    if (used) new RegroupedScanRDD(rows, regrouped(), guard) else rows
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val batches = child.executeColumnar()
    if (used) new RegroupedScanRDD(batches, regrouped(), guard) else batches
  }

  private def regrouped(): Array[FilePartition] = {
    misfit.foreach { file =>
      throw EddylineErrors.runtime("EDDYLINE_ASSUME.PLAN_OUTDATED",
        Map(
          "keys" -> ClaimText.keys(keys),
          "relation" -> ClaimText.relation(scan),
          "file" -> file),
        origin)
    }
    longMetric("numUnits").set(numUnits)
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      metrics.values.toSeq)
    listed.regroup(planned)
  }

  def scan: FileSourceScanExec = child

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(keys)}${layout.sql} ${proof.name}, $numUnits units$usesText"

  override protected def doCanonicalize(): SparkPlan = super.doCanonicalize() match {
    case same: UnitScanExec => same.copy(claim = 0)(same.planned)
    case other => other
  }

  /** Where another extension reads the files in its own way, by no units, its rows are shuffled. */
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = newChild match {
    case scan: FileSourceScanExec => copy(child = scan)(planned)
    case other if !used => other
    case other =>
      val reason = s"${ClaimText.operator(other)} reads the files, and knows of no units"
      val promised = outputPartitioning match {
        case AssumedPartitioning(keys, numPartitions, _) => HashPartitioning(keys, numPartitions)
        case _: KeyedPartitioning if columns.isEmpty => throw notShuffled(reason)
        case known => known
      }
      val shuffle = ShuffleExchangeExec(promised, other, REPARTITION_BY_NUM)
      shuffle.setTagValue(ClaimTags.DROPPED,
        Seq(DroppedClaim(keys, layout, Some(ClaimText.relation(scan)), reason, origin)))
      shuffle
  }

  /** No shuffle can take the place of a layout. */
  private def notShuffled(reason: String): Throwable =
    EddylineErrors.analysis("EDDYLINE_ASSUME.INVALID_OPTION",
      Map(
        "option" -> layout.sql.trim,
        "reason" -> reason,
        "hint" -> "Leave LAYOUT out."),
      origin)
}
