package io.eddyline.spark.emit

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.EddylineConf

/**
 * Carries [[EmitOnChangeKeyExec]] through Spark's planning. Spark assigns state, watermarks, schema
 * and metadata only to its own operators, so these represent it until [[InsertEmit]] runs.
 *
 * @param compared the columns besides the keys that decide whether a row changed
 * @param hashed whether the state stores a hash of these columns instead of the columns
 * @param child a StateStoreSaveExec over a StateStoreRestoreExec, with the columns of the state
 *              in between
 */
case class EmitKeyCarrierExec(
    override val output: Seq[Attribute],
    compared: Seq[Attribute],
    hashed: Boolean,
    child: SparkPlan)
  extends UnaryExecNode {

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def producedAttributes: AttributeSet = AttributeSet(output)

  /** The [[EmitOnChangeKeyExec]], over the rows that the carrier was planned over. */
  def replaced: SparkPlan = child match {
    case save @ StateStoreSaveExec(_, _, _, _, _, _,
          StateColumnsExec(_, StateStoreRestoreExec(_, _, _, below))) =>
      EmitOnChangeKeyExec(
        save.keyExpressions,
        save.stateInfo,
        save.outputMode,
        save.eventTimeWatermarkForLateEvents,
        save.eventTimeWatermarkForEviction,
        compared,
        hashed,
        withoutStateColumns(below))
    case other => throw EmitKeyCarrierExec.neverRuns(other)
  }

  private def withoutStateColumns(below: SparkPlan): SparkPlan = below match {
    case StateColumnsExec(_, rows) => rows
    case exchange => exchange.mapChildren(withoutStateColumns)
  }

  override protected def doExecute(): RDD[InternalRow] = throw EmitKeyCarrierExec.neverRuns(this)

  override protected def withNewChildInternal(newChild: SparkPlan): EmitKeyCarrierExec =
    copy(child = newChild)
}

object EmitKeyCarrierExec {

  /** The state format in which Spark 2.4 and later store aggregations: values without keys. */
  private val STATE_FORMAT = 2

  def plan(
      keys: Seq[Attribute],
      compared: Seq[Attribute],
      rows: SparkPlan,
      conf: SQLConf): SparkPlan = {
    val values = compared.filterNot(AttributeSet(keys).contains)
    val hashed = isHashed(values, conf)
    val columns = keys ++ (if (hashed) RowHash.attributes else values)
    val restore = StateStoreRestoreExec(keys, None, STATE_FORMAT, StateColumnsExec(columns, rows))
    val save = StateStoreSaveExec(
      keys, None, None, None, None, STATE_FORMAT, StateColumnsExec(columns, restore))
    EmitKeyCarrierExec(rows.output, values, hashed, save)
  }

  private def isHashed(values: Seq[Attribute], conf: SQLConf): Boolean =
    conf.getConf(EddylineConf.EMIT_KEY_STATE) match {
      case "ROW" => values.isEmpty
      case "HASH" => true
      case _ => values.isEmpty || values.map(_.dataType.defaultSize).sum > RowHash.WORTHWHILE_BYTES
    }

  private[emit] def neverRuns(plan: SparkPlan): Throwable =
    new IllegalStateException(s"EMIT ON CHANGE KEY was not put into the plan:\n$plan")
}

/** Declares the columns of the state to Spark's planning. It never runs. */
case class StateColumnsExec(columns: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {

  override def output: Seq[Attribute] = columns

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def producedAttributes: AttributeSet = AttributeSet(columns)

  override protected def doExecute(): RDD[InternalRow] = throw EmitKeyCarrierExec.neverRuns(this)

  override protected def withNewChildInternal(newChild: SparkPlan): StateColumnsExec =
    copy(child = newChild)
}
