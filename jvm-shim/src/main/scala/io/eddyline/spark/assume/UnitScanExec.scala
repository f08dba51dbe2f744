package io.eddyline.spark.assume

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, SQLExecution}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.SerializableConfiguration

import io.eddyline.spark.EddylineErrors

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
 */
case class UnitScanExec(
    keys: Seq[Expression],
    columns: Seq[Attribute],
    layout: Layout,
    proof: Proof,
    claim: Long,
    used: Boolean,
    child: FileSourceScanExec)
  extends ClaimExec {

  override def output: Seq[Attribute] = child.output

  override def supportsColumnar: Boolean = child.supportsColumnar

  override def vectorTypes: Option[Seq[String]] = child.vectorTypes

  override lazy val metrics: Map[String, SQLMetric] =
    Map("numUnits" -> SQLMetrics.createMetric(sparkContext, "number of units"))

  @transient private lazy val byValue = new PartitionValueUnits(scan, columns)
  @transient private lazy val byFile: UnitsOfFiles =
    if (layout.isNumbered) new NumberedUnits(scan, layout.size) else new FileUnits(scan)

  /** The partition columns, or all keys. */
  override def unitKeys: Seq[Expression] = if (columns.nonEmpty) columns else keys

  override def serves(need: ClusteredDistribution, partitioning: Partitioning): Boolean = true

  private def units: ScanUnits = if (columns.nonEmpty) byValue else byFile

  /** Bytes of each unit, as listed. */
  def unitSizes: Seq[Long] = units.sizes

  def numUnits: Int = units.ids.size

  def files: Seq[FileVersion] = byFile.files

  /** The numbers of units that are numbered. */
  def unitNumbers: Seq[Int] = byFile match {
    case numbered: NumberedUnits => numbered.ids
    case other => other.ids.indices
  }

  def nameOf(file: FileVersion): String = byFile.nameOf(file)

  /** The name of a file that lies in no unit. */
  def stranger: Option[String] = byFile match {
    case numbered: NumberedUnits if columns.isEmpty => numbered.stranger
    case _ => None
  }

  override def outputPartitioning: Partitioning =
    if (!used) child.outputPartitioning
    else if (columns.nonEmpty) KeyedPartitioning(columns, byValue.values)
    else if (layout.hashed) HashPartitioning(keys, numUnits)
    else layout.id.flatMap(LayoutFunction.partitioning(_, keys, unitNumbers))
      .getOrElse(AssumedPartitioning(keys, numUnits, claim))

  /**
   * All rows of the units, with the keys alone: of the columns that are read from the files others
   * are left out, and filters on them. What the reader adds, partition columns and metadata, stays.
   */
  @transient lazy val ofKeys: UnitScanExec = {
    val (read, added) = scan.output.splitAt(scan.requiredSchema.size)
    val needed = AttributeSet(keys)
    val kept = read.zip(scan.requiredSchema).filter { case (column, _) => needed.contains(column) }
    copy(child = scan.copy(
      output = kept.map(_._1) ++ added,
      requiredSchema = StructType(kept.map(_._2)),
      partitionFilters =
        scan.partitionFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]])),
      dataFilters = scan.dataFilters.filter(_.references.intersect(AttributeSet(read)).isEmpty)))
  }

  /** Whether a subquery leaves files out that are listed. */
  def hasSubquery: Boolean =
    scan.partitionFilters.exists(_.exists(_.isInstanceOf[PlanExpression[_]]))

  /** Whether every file is still as it was listed. */
  def isUnchanged: Boolean = FileVersion.unchanged(
    files, session.sessionState.newHadoopConfWithOptions(scan.relation.options))

  @transient private var checked: Option[CheckedFiles] = None

  /** From now on tasks read the files only as they were listed. */
  private[assume] def requireUnchanged(): Unit = {
    val conf = session.sessionState.newHadoopConfWithOptions(scan.relation.options)
    checked = Some(new CheckedFiles(ClaimText.keys(keys), ClaimText.relation(scan), origin,
      sparkContext.broadcast(new SerializableConfiguration(conf))))
  }

  override protected def doExecute(): RDD[InternalRow] = {
    restoreMetrics()
    val rows = child.execute() // first: the scan waits for its subqueries
    if (used) new RegroupedScanRDD(rows, regrouped(), checked) else rows
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    restoreMetrics()
    val batches = child.executeColumnar()
    if (used) new RegroupedScanRDD(batches, regrouped(), checked) else batches
  }

  /** Lists the files, and notes how long it took: Spark forgets metrics before a plan runs. */
  private[assume] def list(): Unit = {
    units.ids
    scan.setTagValue(UnitScanExec.LISTING_TIME, scan.metrics("metadataTime").value)
  }

  private def restoreMetrics(): Unit = {
    val listed = scan.selectedPartitions
    val counts = if (hasSubquery) {
      Map("staticFilesNum" -> listed.totalNumberOfFiles, "staticFilesSize" -> listed.totalFileSize)
    } else {
      Map(
        "numFiles" -> listed.totalNumberOfFiles,
        "filesSize" -> listed.totalFileSize,
        "numPartitions" -> listed.partitionCount.toLong)
    }
    val time = scan.getTagValue(UnitScanExec.LISTING_TIME).map("metadataTime" -> _)
    (counts ++ time).foreach { case (name, value) =>
      scan.metrics.get(name).foreach(_.set(value)) // some only of a table with partitions
    }
  }

  private def regrouped(): Array[FilePartition] = {
    longMetric("numUnits").set(numUnits)
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      metrics.values.toSeq)
    units.regroup()
  }

  def scan: FileSourceScanExec = child

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(keys)}${layout.sql} ${proof.name}, $numUnits units$usesText"

  override protected def doCanonicalize(): SparkPlan = super.doCanonicalize() match {
    case same: UnitScanExec => same.copy(claim = 0)
    case other => other
  }

  /** Where another extension reads the files in its own way, by no units, its rows are shuffled. */
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = newChild match {
    case scan: FileSourceScanExec => copy(child = scan)
    case other if !used => other
    case other =>
      val reason = s"${ReportAssumptions.name(other)} reads the files, and knows of no units"
      val promised = outputPartitioning match {
        case AssumedPartitioning(keys, numPartitions, _) => HashPartitioning(keys, numPartitions)
        case _: KeyedPartitioning if columns.isEmpty => throw notShuffled(reason)
        case known => known
      }
      val shuffle = ShuffleExchangeExec(promised, other, REPARTITION_BY_NUM)
      shuffle.setTagValue(ReportAssumptions.DROPPED,
        Seq(DroppedClaim(keys, layout, Some(ClaimText.relation(scan)), reason, origin)))
      shuffle
  }

  /** No shuffle can take the place of a layout. */
  private def notShuffled(reason: String): Throwable =
    EddylineErrors.analysis("EDDYLINE_ASSUME.BAD_OPTION",
      Map(
        "option" -> layout.sql.trim,
        "reason" -> reason,
        "hint" -> "Leave LAYOUT out."),
      origin)
}

object UnitScanExec {
  /** In milliseconds. */
  private val LISTING_TIME: TreeNodeTag[Long] = TreeNodeTag("eddyline.assume.listingTime")
}
