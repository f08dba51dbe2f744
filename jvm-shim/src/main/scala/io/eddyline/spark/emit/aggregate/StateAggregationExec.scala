package io.eddyline.spark.emit.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Partial}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.streaming.eddyline.StateStores
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.streaming.OutputMode

import io.eddyline.spark.base.{RealTime, RowAtATimeOperator}
import io.eddyline.spark.emit.clause.ChangeType
import io.eddyline.spark.realtime.UncommittedOutput
import io.eddyline.spark.shim.StateShim

/**
 * Runs an aggregation with EMIT ON CHANGE or EMIT ON UPDATE over the rows of a micro-batch, which
 * come group by group: reads the state of a key, updates it by each row of the group, writes it if
 * it changed, and emits the result; with ON CHANGE only if it differs from the previous one of the
 * key (KIP-557). In real-time mode it does so for each row, since the rows of a group do not come
 * together.
 *
 * It replaces Spark's aggregations, `StateStoreRestoreExec`, `StateStoreSaveExec`, and the HAVING
 * and projections above. Rows come in the order of keys, in which the RocksDB state store is
 * fastest. A checkpoint can be continued with EMIT ON CHANGE or in plain Update mode.
 *
 * @param stateAttributes the columns of a row of the state: keys, then aggregation buffers
 * @param aggregates the aggregates as the query has them, with their FILTER clauses
 * @param rows how the rows of the child update the buffers
 * @param merging merges a row of the state into a buffer
 * @param conversion turns a row of the state into a row of the result
 * @param output the columns of the result
 * @param comparedColumns the columns of the result that decide whether it changed; None for EMIT ON
 *                        UPDATE
 * @param changeType WITH CHANGE TYPE: a result that HAVING rejects now is reported as deleted
 */
case class StateAggregationExec(
    keyExpressions: Seq[Attribute],
    stateInfo: Option[StatefulOperatorStateInfo],
    outputMode: Option[OutputMode],
    eventTimeWatermarkForLateEvents: Option[Long],
    eventTimeWatermarkForEviction: Option[Long],
    stateFormatVersion: Int,
    stateAttributes: Seq[Attribute],
    aggregates: Seq[AggregateExpression],
    rows: GroupRows,
    merging: AggregationPhase,
    conversion: StateToResult,
    override val output: Seq[Attribute],
    comparedColumns: Option[Seq[Attribute]],
    changeType: Option[ChangeType],
    child: SparkPlan)
  extends EmitAggregationExec with RowAtATimeOperator {

  override protected lazy val save = StateStoreSaveExec(keyExpressions, stateInfo, outputMode,
    eventTimeWatermarkForLateEvents, eventTimeWatermarkForEviction, stateFormatVersion,
    StateColumnsExec(stateAttributes, child))

  private val state =
    StreamingAggregationStateManager.createStateManager(
      keyExpressions, stateAttributes, stateFormatVersion)

  override def compared: Seq[Attribute] = comparedColumns.getOrElse(output)

  override def nodeName: String = if (comparedColumns.isEmpty) "EmitOnUpdate" else "EmitOnChange"

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    super.customStatefulOperatorMetrics ++ EmitMetrics.ofGroups

  /** The metrics by which the next micro-batch decides whether to aggregate before the shuffle. */
  def counts: GroupCounts = child.collectFirst {
    case partial: BaseAggregateExec if !rows.areRaw => partial.child
  } match {
    case Some(before) => GroupCounts(GroupCounts.rowsOf(before), longMetric(EmitMetrics.INPUT_ROWS))
    case None => GroupCounts(
        Seq(longMetric(EmitMetrics.INPUT_ROWS)), longMetric(EmitMetrics.BRANCH_GROUPS))
  }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // created on the driver, before the tasks use them
    PartialAggregations.count(session, stateInfo, counts)
    val keySchema = StateShim.schemaOnDisk(DataTypeUtils.fromAttributes(keyExpressions))
    val valueSchema = StateShim.schemaOnDisk(state.getStateValueSchema)
    val isRealTime = RealTime.readsStream(child)
    val reemitsAll = comparedColumns.nonEmpty && UncommittedOutput.mustReemit(session)
    StateStores.mapPartitions(this, child.execute(), keySchema, valueSchema) { (store, input) =>
      val notLate = watermarkPredicateForDataForLateEvents.fold(input)(
        applyRemovingRowsOlderThanWatermark(input, _))
      new GroupResults(store, notLate, isRealTime, reemitsAll)
    }
  }

  /** The results that the groups of one partition emit. */
  private class GroupResults(
      store: StateStore,
      input: Iterator[InternalRow],
      isRealTime: Boolean,
      reemitsAll: Boolean)
    extends ChangesIterator(
      input, isRealTime, longMetric(EmitMetrics.EMITTED), longMetric("numOutputRows")) {
    private val partition = TaskContext.getPartitionId()
    private val valueAttributes = stateAttributes.takeRight(state.getStateValueSchema.size)
    private val group = new GroupBuffer(
      partition, keyExpressions, valueAttributes, merging, rows.updates, rows.columns)
    private val results = new ResultChangeEmitter(
      stateAttributes, conversion, output, comparedColumns, changeType, longMetric)
    private val keyOf = UnsafeProjection.create(keyExpressions, child.output)
    private val branchAt =
      rows.branch.fold(-1)(branch => new AttributeSeq(child.output).indexOf(branch.exprId))
    private val inputRows = longMetric(EmitMetrics.INPUT_ROWS)
    private val branchGroups = longMetric(EmitMetrics.BRANCH_GROUPS)
    private val updated = longMetric("numUpdatedStateRows")
    private val start = System.nanoTime()
    private val values = StateWriteCache(isRealTime)(store.get(_), write)
    private val joinedOld = new JoinedRow
    private val joinedNew = new JoinedRow
    private var key: UnsafeRow = _
    private var old: UnsafeRow = _
    private var reemit = false // whether this run may not have emitted the key yet
    private var seenBranches = 0L

    override protected def change(row: InternalRow, emit: UnsafeRow => Unit): Unit = {
      val rowKey = keyOf(row)
      if (key == null || key != rowKey) {
        endGroup(emit)
        beginGroup(rowKey.copy())
      }
      val branch = if (branchAt < 0) 0 else row.getInt(branchAt)
      seenBranches |= 1L << branch
      inputRows += 1
      group.update(branch, row)
      if (isRealTime) endGroup(emit)
    }

    override protected def finish(emit: UnsafeRow => Unit): Unit = endGroup(emit)

    private def beginGroup(groupKey: UnsafeRow): Unit = {
      key = groupKey
      reemit = reemitsAll && !values.isCached(key)
      old = values.get(key)
      group.begin(key, old)
    }

    private def endGroup(emit: UnsafeRow => Unit): Unit = if (key != null) {
      val value = group.end()
      val row = group.rowOf(joinedNew, key, value)
      if (old == null) {
        values.put(key, value)
        results.insert(row, reemit, emit)
      } else if (!reemit && old == value) {
        results.unchanged(row, emit)
      } else {
        results.update(group.rowOf(joinedOld, key, old), row, reemit, emit)
        values.put(key, value) // the old value is valid until now
      }
      branchGroups += java.lang.Long.bitCount(seenBranches)
      seenBranches = 0
      key = null
    }

    private def write(key: UnsafeRow, value: UnsafeRow): Unit = {
      store.put(key, value)
      updated += 1
    }

    override protected def commit(): Unit = {
      values.flush()
      measureUpdates(start)
      measureRemovals(removeKeysOlderThanWatermark(state, store))
      measureCommit(store)(state.commit(store))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): StateAggregationExec =
    copy(child = newChild)
}

/**
 * How rows update the buffers of their groups.
 *
 * @param columns the first columns of a row, which the updates read
 * @param branch the column with the number of the branch of a row; None if there is one branch
 * @param updates the aggregation phase of each branch
 */
case class GroupRows(
    columns: Seq[Attribute], branch: Option[Attribute], updates: Seq[AggregationPhase]) {

  /** Whether the rows were not aggregated before the shuffle. */
  def areRaw: Boolean = updates.exists(_.aggregateExpressions.exists(_.mode == Partial))
}
