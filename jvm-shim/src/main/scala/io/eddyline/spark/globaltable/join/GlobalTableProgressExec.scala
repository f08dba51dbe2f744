package io.eddyline.spark.globaltable.join

import scala.jdk.CollectionConverters._

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericRowWithSchema, NamedExpression}
import org.apache.spark.sql.execution.{CollectMetricsExec, SparkPlan}
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.globaltable.version.PinnedTable

/**
 * Reports the version, age and refreshes of a global table in the progress of a streaming query, as
 * the observed metric `eddyline.global.<table>`. It extends CollectMetricsExec because Spark
 * collects such metrics from that class only. It counts no rows, and passes on its child's result.
 */
private[globaltable] class GlobalTableProgressExec(
    name: String, metricExpressions: Seq[NamedExpression], lookup: SparkPlan)(
    @transient pin: PinnedTable)
  extends CollectMetricsExec(name, metricExpressions, lookup) {

  def this(pin: PinnedTable, lookup: SparkPlan) =
    this(GlobalTableProgressExec.PREFIX + pin.id.shortName, Nil, lookup)(pin)

  override protected def otherCopyArgs: Seq[AnyRef] = pin :: Nil

  override def collectedMetrics: Row = new GenericRowWithSchema(
    Array(
      pin.version.map(_.name).orNull,
      pin.table.age.getOrElse(0L),
      pin.table.counts.refreshes,
      pin.table.counts.failures),
    GlobalTableProgressExec.SCHEMA)

  override def resetMetrics(): Unit = {} // no rows are counted

  override def doExecute(): RDD[InternalRow] = child.execute()

  override def doExecuteBroadcast[T](): Broadcast[T] = child.executeBroadcast[T]()

  override def withNewChildInternal(newChild: SparkPlan): CollectMetricsExec =
    new GlobalTableProgressExec(pin, newChild)

  override def simpleString(maxFields: Int): String = s"ReportGlobalTable ${pin.label}"
}

private[spark] object GlobalTableProgressExec {

  /** The prefix of the names of the metrics, before the name of a table. */
  private val PREFIX = "eddyline.global."

  private val SCHEMA =
    StructType.fromDDL("version STRING, age_ms BIGINT, refreshes BIGINT, failures BIGINT")

  /** Returns the tables that a micro-batch joined, each with its version. */
  def versions(progress: StreamingQueryProgress): Seq[(String, String)] =
    progress.observedMetrics.asScala.toSeq.collect {
      case (name, row) if name.startsWith(PREFIX) =>
        name.stripPrefix(PREFIX) -> String.valueOf(row.getAs[String]("version"))
    }.sorted
}
