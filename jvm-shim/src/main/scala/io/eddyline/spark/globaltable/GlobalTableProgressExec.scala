package io.eddyline.spark.globaltable

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericRowWithSchema, NamedExpression}
import org.apache.spark.sql.execution.{CollectMetricsExec, SparkPlan}
import org.apache.spark.sql.types.StructType

/**
 * Reports the version of a global table with the progress of a streaming query, among its observed
 * metrics as `eddyline.global.<table>`. Spark collects those from nodes of this class alone; it
 * passes the broadcast of its child on and touches no row.
 */
private[globaltable] class GlobalTableProgressExec(
    name: String,
    metrics: Seq[NamedExpression],
    lookup: SparkPlan)(
    @transient pin: PinnedTable)
  extends CollectMetricsExec(name, metrics, lookup) {

  def this(pin: PinnedTable, lookup: SparkPlan) =
    this(s"eddyline.global.${pin.id.shortName}", Nil, lookup)(pin)

  override protected def otherCopyArgs: Seq[AnyRef] = pin :: Nil

  override def collectedMetrics: Row = new GenericRowWithSchema(
    Array(
      pin.version.map(_.name).orNull,
      pin.table.age.getOrElse(0L),
      pin.table.history.counts.refreshes,
      pin.table.history.counts.failures),
    GlobalTableProgressExec.SCHEMA)

  override def resetMetrics(): Unit = {}

  override def doExecute(): RDD[InternalRow] = child.execute()

  override def doExecuteBroadcast[T](): Broadcast[T] = child.executeBroadcast[T]()

  override def withNewChildInternal(newChild: SparkPlan): CollectMetricsExec =
    new GlobalTableProgressExec(pin, newChild)

  override def simpleString(maxFields: Int): String = s"ReportGlobalTable ${pin.label}"
}

private[globaltable] object GlobalTableProgressExec {
  private val SCHEMA =
    StructType.fromDDL("version STRING, age_ms BIGINT, refreshes BIGINT, failures BIGINT")
}
