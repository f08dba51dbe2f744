package io.eddyline.spark.emit.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.eddyline.StateStores
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.streaming.OutputMode

import io.eddyline.spark.base.{RealTime, RowAtATimeOperator}
import io.eddyline.spark.emit.clause.ChangeType
import io.eddyline.spark.realtime.UncommittedOutput
import io.eddyline.spark.shim.StateShim

/**
 * Runs EMIT ON CHANGE over an aggregation: in one pass over the partial results of a micro-batch it
 * reads the state of each key, merges, writes the state if it changed, and emits the result if it
 * differs from the previous one of the key (KIP-557).
 *
 * It replaces `StateStoreRestoreExec`, the merging aggregation, `StateStoreSaveExec`, the final
 * aggregation, and the HAVING and projections above. A checkpoint can be continued with EMIT ON
 * CHANGE or in plain Update mode.
 *
 * @param stateAttributes the columns of a row of the state: keys, then aggregation buffers
 * @param merging merges two rows of the state
 * @param conversion turns a row of the state into a row of the result
 * @param output the columns of the result
 * @param compared the columns of the result that decide whether it changed
 * @param changeType WITH CHANGE TYPE: a result that HAVING rejects now is reported as deleted
 */
case class EmitOnChangeExec(
    keyExpressions: Seq[Attribute],
    stateInfo: Option[StatefulOperatorStateInfo],
    outputMode: Option[OutputMode],
    eventTimeWatermarkForLateEvents: Option[Long],
    eventTimeWatermarkForEviction: Option[Long],
    stateFormatVersion: Int,
    stateAttributes: Seq[Attribute],
    merging: AggregationPhase,
    conversion: StateToResult,
    override val output: Seq[Attribute],
    compared: Seq[Attribute],
    changeType: Option[ChangeType],
    child: SparkPlan)
  extends EmitAggregationExec with RowAtATimeOperator {

  override protected val save = StateStoreSaveExec(keyExpressions, stateInfo, outputMode,
    eventTimeWatermarkForLateEvents, eventTimeWatermarkForEviction, stateFormatVersion, child)

  private val state =
    StreamingAggregationStateManager.createStateManager(
      keyExpressions, child.output, stateFormatVersion)

  override def nodeName: String = "EmitOnChange"

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // created on the driver, before the tasks use them
    val keySchema = StateShim.schemaOnDisk(DataTypeUtils.fromAttributes(keyExpressions))
    val valueSchema = StateShim.schemaOnDisk(state.getStateValueSchema)
    val isRealTime = RealTime.readsStream(child)
    val reemitsAll = UncommittedOutput.mustReemit(session)
    StateStores.mapPartitions(this, child.execute(), keySchema, valueSchema) { (store, rows) =>
      val timely = watermarkPredicateForDataForLateEvents.fold(rows)(
        applyRemovingRowsOlderThanWatermark(rows, _))
      new ChangedResults(store, timely, isRealTime, reemitsAll)
    }
  }

  /** The changed results of one partition. */
  private class ChangedResults(
      store: StateStore,
      partials: Iterator[InternalRow],
      isRealTime: Boolean,
      reemitsAll: Boolean)
    extends ChangesIterator(
      partials, isRealTime, longMetric(EmitMetrics.EMITTED), longMetric("numOutputRows")) {
    private val merger = new StateMerger(TaskContext.getPartitionId(), merging, stateAttributes)
    private val results = new ResultChangeEmitter(
      stateAttributes, conversion, output, compared, changeType, longMetric)
    // A stored buffer may contain the offset word of a null; a projected one does not.
    private val canonical = UnsafeProjection.create(stateAttributes, stateAttributes)
    private val updated = longMetric("numUpdatedStateRows")
    private val start = System.nanoTime()
    private val rows = StateWriteCache(isRealTime)(state.get(store, _), (_, row) => write(row))

    override protected def change(row: InternalRow, emit: UnsafeRow => Unit): Unit = {
      val partial = row.asInstanceOf[UnsafeRow]
      val key = state.getKey(partial)
      val reemit = reemitsAll && !rows.isCached(key)
      val old = rows.get(key)
      if (old == null) {
        rows.put(key, partial)
        results.insert(partial, reemit, emit)
      } else {
        val merged = merger.merge(old, partial)
        if (!reemit && canonical(old) == merged) {
          results.countDropped(old)
        } else {
          results.update(old, merged, reemit, emit)
          rows.put(key, merged)
        }
      }
    }

    private def write(row: UnsafeRow): Unit = {
      state.put(store, row)
      updated += 1
    }

    override protected def commit(): Unit = {
      rows.flush()
      measureUpdates(start)
      measureRemovals(removeKeysOlderThanWatermark(state, store))
      measureCommit(store)(state.commit(store))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): EmitOnChangeExec =
    copy(child = newChild)
}
