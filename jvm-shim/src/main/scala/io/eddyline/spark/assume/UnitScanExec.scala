package io.eddyline.spark.assume

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{KeyedPartitioning, Partitioning}
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Reads each unit of a file scan in one task, and reports that as its partitioning. Rows, vectors
 * and metrics are the scan's.
 *
 * @param keys as claimed, over the columns of the scan
 * @param columns the partition columns among the keys; a unit is a value of them
 * @param child the scan, a `FileSourceScanExec`
 */
case class UnitScanExec(keys: Seq[Expression], columns: Seq[Attribute], child: SparkPlan)
  extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output

  override def supportsColumnar: Boolean = child.supportsColumnar

  override def vectorTypes: Option[Seq[String]] = child.vectorTypes

  override lazy val metrics: Map[String, SQLMetric] =
    Map("numUnits" -> SQLMetrics.createMetric(sparkContext, "number of units"))

  @transient private lazy val units = new PartitionValueUnits(scan, columns)

  def numUnits: Int = units.values.size

  override def outputPartitioning: Partitioning = KeyedPartitioning(columns, units.values)

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute() // first: the scan waits for its subqueries
    new RegroupedScanRDD(rows, regrouped())
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val batches = child.executeColumnar()
    new RegroupedScanRDD(batches, regrouped())
  }

  private def regrouped() = {
    longMetric("numUnits").set(numUnits)
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(org.apache.spark.sql.execution.SQLExecution.EXECUTION_ID_KEY),
      Seq(longMetric("numUnits")))
    units.regroup()
  }

  def scan: FileSourceScanExec = child match {
    case scan: FileSourceScanExec => scan
    case other => throw new IllegalStateException(s"no file scan: ${other.nodeName}")
  }

  override def nodeName: String = "AssumePartitionedBy"

  override def simpleString(maxFields: Int): String = {
    val uses = getTagValue(ReportAssumptions.USES).map(_.mkString(" {", "; ", "}")).getOrElse("")
    s"$nodeName ${ClaimText.list(keys)} structural, $numUnits units$uses"
  }

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${simpleString(conf.maxToStringFields)}
       |""".stripMargin

  override protected def withNewChildInternal(newChild: SparkPlan): UnitScanExec =
    copy(child = newChild)
}
