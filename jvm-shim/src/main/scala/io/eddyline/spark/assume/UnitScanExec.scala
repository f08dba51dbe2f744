package io.eddyline.spark.assume

import org.apache.hadoop.fs.Path

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, SQLExecution, UnaryExecNode}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Reads each unit of a file scan in one task, and reports that as its partitioning. Rows, vectors
 * and metrics are the scan's.
 *
 * @param keys as claimed, over the columns of the scan
 * @param columns the partition columns among the keys; a unit is a value of them, or without any a
 *                file
 * @param proof how the claim is known to be true
 * @param layout tells the claims of a plan apart
 * @param used whether anything above builds on it; if not, it is the scan and nothing more
 */
case class UnitScanExec(
    keys: Seq[Expression],
    columns: Seq[Attribute],
    proof: Proof,
    layout: Long,
    used: Boolean,
    child: FileSourceScanExec)
  extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output

  override def supportsColumnar: Boolean = child.supportsColumnar

  override def vectorTypes: Option[Seq[String]] = child.vectorTypes

  override lazy val metrics: Map[String, SQLMetric] =
    Map("numUnits" -> SQLMetrics.createMetric(sparkContext, "number of units"))

  @transient private lazy val byValue = new PartitionValueUnits(scan, columns)
  @transient private lazy val byFile = new FileUnits(scan)

  /** What one task reads the rows of a key by: the partition columns, or all keys. */
  def unitKeys: Seq[Expression] = if (columns.nonEmpty) columns else keys

  private def units: ScanUnits = if (columns.nonEmpty) byValue else byFile

  /** Bytes of each unit, as listed. */
  def unitSizes: Seq[Long] = units.sizes

  def numUnits: Int = units.ids.size

  def files: Seq[FileVersion] = byFile.files

  /** The name of a unit that is a file. */
  def unitName(index: Int): String = {
    val path = new Path(byFile.ids(index))
    val inFolder = scan.relation.partitionSchema.nonEmpty
    if (inFolder) s"${path.getParent.getName}/${path.getName}" else path.getName
  }

  override def outputPartitioning: Partitioning =
    if (!used) child.outputPartitioning
    else if (columns.nonEmpty) KeyedPartitioning(columns, byValue.values)
    else AssumedPartitioning(keys, numUnits, layout)

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute() // first: the scan waits for its subqueries
    if (used) new RegroupedScanRDD(rows, regrouped()) else rows
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val batches = child.executeColumnar()
    if (used) new RegroupedScanRDD(batches, regrouped()) else batches
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

  override def nodeName: String = "AssumePartitionedBy"

  override def simpleString(maxFields: Int): String = {
    val uses = getTagValue(ReportAssumptions.USES).map(_.mkString(" {", "; ", "}")).getOrElse("")
    s"$nodeName ${ClaimText.list(keys)} ${proof.name}, $numUnits units$uses"
  }

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${simpleString(conf.maxToStringFields)}
       |""".stripMargin

  override protected def doCanonicalize(): SparkPlan = super.doCanonicalize() match {
    case same: UnitScanExec => same.copy(layout = 0)
    case other => other
  }

  /** Where another extension reads the files in its own way, by no units, its rows are shuffled. */
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = newChild match {
    case scan: FileSourceScanExec => copy(child = scan)
    case other if !used => other
    case other =>
      val promised = outputPartitioning match {
        case AssumedPartitioning(keys, numPartitions, _) => HashPartitioning(keys, numPartitions)
        case known => known
      }
      val shuffle = ShuffleExchangeExec(promised, other, REPARTITION_BY_NUM)
      val reason = s"${ReportAssumptions.name(other)} reads the files, and knows of no units"
      shuffle.setTagValue(ReportAssumptions.DROPPED,
        Seq(DroppedClaim(keys, Some(ClaimText.relation(scan)), reason, origin)))
      shuffle
  }
}
