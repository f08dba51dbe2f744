package io.eddyline.spark.emit

import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.optimizer.eddyline.CanonicalForm
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.streaming.eddyline.StateStores
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.streaming.OutputMode

import io.eddyline.spark.shim.StateShim

/**
 * Runs EMIT ON CHANGE KEY: emits a row if its compared columns differ from those of the row last
 * emitted for its key, which it keeps in its own state store. It sees its own writes, so for the
 * values 1, 2, 1 of a key in one micro-batch it emits all three rows, in the order of arrival.
 *
 * State is removed and late rows are dropped only if a key is the watermark column, and never in
 * Complete mode, which reports every group in every micro-batch.
 *
 * @param compared the columns besides the keys that decide whether a row changed
 * @param hashed whether the state stores a hash of these columns instead of the columns
 */
case class EmitOnChangeKeyExec(
    keyExpressions: Seq[Attribute],
    stateInfo: Option[StatefulOperatorStateInfo],
    outputMode: Option[OutputMode],
    eventTimeWatermarkForLateEvents: Option[Long],
    eventTimeWatermarkForEviction: Option[Long],
    compared: Seq[Attribute],
    hashed: Boolean,
    child: SparkPlan)
  extends UnaryExecNode with EmitStateWriter with WatermarkSupport {

  override def nodeName: String = "EmitOnChangeKey"

  /** Must equal StateStoreSaveExec's short name, which Spark wrote to the state metadata. */
  override def shortName: String = "stateStoreSave"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    StatefulOperatorPartitioning.getCompatibleDistribution(
      keyExpressions, getStateInfo, conf) :: Nil

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    keysExpire && eventTimeWatermarkForEviction.exists(newInputWatermark > _)

  /** Returns nothing: Spark has validated the schema with the operator that this one replaces. */
  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration, batchId: Long, version: Int): List[StateSchemaValidationResult] =
    Nil

  override def simpleString(maxFields: Int): String =
    EmitMetrics.describe(
      "EmitOnChangeKey", keyExpressions, output, keyExpressions ++ compared, maxFields) +
      (if (hashed) ", hashed" else "") +
      stateInfo.fold("")(info => s", state operator ${info.operatorId}")

  private def expiredKeys: Option[BasePredicate] =
    watermarkPredicateForKeysForEviction.filterNot(_ => outputMode.contains(OutputMode.Complete()))

  private def keysExpire: Boolean = expiredKeys.isDefined

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // created on the driver, before the tasks use them
    val values = if (hashed) RowHash.attributes else compared
    StateStores.mapPartitions(
      this,
      child.execute(),
      StateShim.schemaOnDisk(DataTypeUtils.fromAttributes(keyExpressions)),
      StateShim.schemaOnDisk(DataTypeUtils.fromAttributes(values))) {
      (store, rows) =>
        val timely = watermarkPredicateForDataForLateEvents.filter(_ => keysExpire).fold(rows)(
          applyRemovingRowsOlderThanWatermark(rows, _))
        new ChangedRows(store, timely)
    }
  }

  /** The changed rows of one partition. */
  private class ChangedRows(store: StateStore, rows: Iterator[InternalRow])
    extends ChangesIterator(
      rows, longMetric(EmitMetrics.EMITTED), longMetric("numOutputRows")) {
    // -0.0 and 0.0, and all NaN, are one key, as in GROUP BY.
    private val keyOf = UnsafeProjection.create(
      keyExpressions.map(CanonicalForm.ofFloats), output)
    private val columnsOf = UnsafeProjection.create(ComparedColumns.expressions(compared), output)
    private val toUnsafe = UnsafeProjection.create(output, output)
    private val hash = new RowHash
    private val dropped = longMetric(EmitMetrics.DROPPED)
    private val updated = longMetric("numUpdatedStateRows")
    private val start = System.nanoTime()

    override protected def changed(row: InternalRow): UnsafeRow =
      if (isChange(row)) {
        row match {
          case unsafe: UnsafeRow => unsafe
          case other => toUnsafe(other)
        }
      } else {
        dropped += 1
        null
      }

    private def isChange(row: InternalRow): Boolean = {
      val key = keyOf(row)
      val columns = columnsOf(row)
      val value = if (hashed) hash(columns) else columns
      val changed = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME) != value
      if (changed) {
        store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
        updated += 1
      }
      changed
    }

    private def removeExpired(): Unit = expiredKeys.foreach { expired =>
      val pairs = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
      pairs.filter(pair => expired.eval(pair.key)).foreach { pair =>
        store.remove(pair.key, StateStore.DEFAULT_COL_FAMILY_NAME)
        longMetric("numRemovedStateRows") += 1
      }
      pairs.close()
    }

    override protected def commit(): Unit = {
      longMetric("allUpdatesTimeMs") += NANOSECONDS.toMillis(System.nanoTime() - start)
      longMetric("allRemovalsTimeMs") += timeTakenMs(removeExpired())
      longMetric("commitTimeMs") += timeTakenMs(store.commit())
      setStoreMetrics(store)
      setOperatorMetrics()
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): EmitOnChangeKeyExec =
    copy(child = newChild)
}
