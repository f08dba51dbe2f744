package io.eddyline.spark.emit.aggregate

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.UnaryExecNode
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state._

import io.eddyline.spark.emit.clause.ChangeType

/**
 * An operator of EMIT ON CHANGE that replaces the operator of Spark which saves the state of an
 * aggregation, and those above it which compute the results. State, schema and metadata are those
 * of Spark's operator, so that a checkpoint can be continued with either.
 */
private[emit] trait EmitAggregationExec
  extends UnaryExecNode with EmitStateWriter with WatermarkSupport {

  /** Spark's operator with the same arguments. */
  protected def save: UnaryExecNode with StateStoreWriter

  /** The columns of the result that decide whether it changed. */
  def compared: Seq[Attribute]

  def changeType: Option[ChangeType]

  override def shortName: String = save.shortName

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    super.customStatefulOperatorMetrics ++ EmitMetrics.ofChanges(changeType)

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def outputPartitioning: Partitioning =
    UnknownPartitioning(child.outputPartitioning.numPartitions)

  override def requiredChildDistribution: Seq[Distribution] = save.requiredChildDistribution

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    save.shouldRunAnotherBatch(newInputWatermark)

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration, batchId: Long, version: Int): List[StateSchemaValidationResult] =
    save.validateAndMaybeEvolveStateSchema(hadoopConf, batchId, version)

  override def operatorStateMetadata(stateSchemaPaths: List[List[String]]): OperatorStateMetadata =
    save.operatorStateMetadata(stateSchemaPaths)

  override def simpleString(maxFields: Int): String =
    EmitMetrics.describe(nodeName, keyExpressions, output, compared, maxFields) +
      stateInfo.fold("")(info => s", state operator ${info.operatorId}")
}
