package io.eddyline.spark.emit.keyed

import java.util.concurrent.TimeUnit.{MICROSECONDS, MILLISECONDS}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.streaming.eddyline.{MicroBatch, StateStores}
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.TimestampType

import io.eddyline.spark.base.{RealTime, RowAtATimeOperator}
import io.eddyline.spark.emit.aggregate.{EmitMetrics, EmitStateWriter}
import io.eddyline.spark.realtime.UncommittedOutput
import io.eddyline.spark.shim.StateShim

/**
 * Runs EMIT ON CHANGE KEY: emits a row if its compared columns differ from those of the row last
 * emitted for its key, which is kept in a state store. Rows of a micro-batch are compared with each
 * other too: for the values 1, 2, 1 of a key all three rows are emitted, in the order of arrival or
 * in that of ORDER BY.
 *
 * State is removed and late rows are dropped only with EXPIRE AFTER or if a key is the watermark
 * column, and never in Complete mode, which reports every group in every micro-batch.
 *
 * With HEARTBEAT it asks for a micro-batch without data when a row is due to be repeated. Spark
 * asks the operators of the last micro-batch of a run, so after a restart heartbeats begin with the
 * first micro-batch that has data.
 *
 * @param state the options, and what is in the state of a key
 * @param output the columns of the rows, and that of WITH CHANGE TYPE
 */
case class EmitOnChangeKeyExec(
    keyExpressions: Seq[Attribute],
    stateInfo: Option[StatefulOperatorStateInfo],
    outputMode: Option[OutputMode],
    eventTimeWatermarkForLateEvents: Option[Long],
    eventTimeWatermarkForEviction: Option[Long],
    state: KeyState,
    override val output: Seq[Attribute],
    child: SparkPlan)
  extends UnaryExecNode with EmitStateWriter with WatermarkSupport with RowAtATimeOperator {

  /** The earliest time after the micro-batch at which a row is repeated. */
  @transient private lazy val nextHeartbeat: EarliestTime = {
    val earliest = new EarliestTime
    sparkContext.register(earliest)
    earliest
  }

  override def nodeName: String = "EmitOnChangeKey"

  /** The short name of StateStoreSaveExec, which Spark has written to the state metadata. */
  override def shortName: String = "stateStoreSave"

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    super.customStatefulOperatorMetrics ++ state.metrics

  override def producedAttributes: AttributeSet = AttributeSet(output)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildDistribution: Seq[Distribution] =
    if (keyExpressions.isEmpty) {
      AllTuples :: Nil
    } else {
      StatefulOperatorPartitioning.getCompatibleDistribution(
        keyExpressions, getStateInfo, conf) :: Nil
    }

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    (keysExpire && eventTimeWatermarkForEviction.exists(newInputWatermark > _)) || isHeartbeatDue

  private def isHeartbeatDue: Boolean =
    state.heartbeat.nonEmpty && !MicroBatch.hasFiniteTrigger(session) &&
      MICROSECONDS.toMillis(nextHeartbeat.value) <= System.currentTimeMillis()

  /** Empty: Spark has validated the schema with the operator that this one replaces. */
  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration, batchId: Long, version: Int): List[StateSchemaValidationResult] =
    Nil

  override def simpleString(maxFields: Int): String =
    EmitMetrics.describe(
      "EmitOnChangeKey", keyExpressions, output, keyExpressions ++ state.compared, maxFields) +
      state.describe + stateInfo.fold("")(info => s", state operator ${info.operatorId}")

  private def keysExpire: Boolean = !outputMode.contains(OutputMode.Complete()) &&
    (state.expiry.nonEmpty || outdatedKeys.nonEmpty)

  /** Matches the keys that the watermark has passed. */
  private def outdatedKeys: Option[BasePredicate] =
    closedWindows.orElse(watermarkPredicateForKeysForEviction)

  /** The same for keys with the end of a window; Spark has it for keys with a window only. */
  private def closedWindows: Option[BasePredicate] = for {
    end <- keyExpressions.find(key =>
      key.dataType == TimestampType && key.metadata.contains(EventTimeWatermark.delayKey))
    watermark <- eventTimeWatermarkForEviction
  } yield Predicate.create(
    LessThanOrEqual(end, Literal(MILLISECONDS.toMicros(watermark), end.dataType)), keyExpressions)

  /** Matches the rows that are too late to be compared. */
  private def late: Option[BasePredicate] =
    if (!keysExpire) None
    else if (state.expiry.isEmpty) watermarkPredicateForDataForLateEvents
    else expiredBy(eventTimeWatermarkForLateEvents, state.time, child.output)

  /** Matches the pairs of key and value that are removed; None if none is. */
  private def expired: Option[UnsafeRowPair => Boolean] =
    if (!keysExpire) {
      None
    } else if (state.expiry.isEmpty) {
      outdatedKeys.map(keys => pair => keys.eval(pair.key))
    } else {
      expiredBy(eventTimeWatermarkForEviction, state.seen.lastOption, state.values)
        .map(values => pair => values.eval(pair.value))
    }

  private def expiredBy(
      watermark: Option[Long],
      time: Option[Expression],
      input: Seq[Attribute]): Option[BasePredicate] =
    for {
      horizon <- state.expiryHorizon(watermark)
      time <- time
    } yield Predicate.create(LessThanOrEqual(time, Literal(horizon, time.dataType)), input)

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // created on the driver, before the tasks use them
    val next = nextHeartbeat
    val repeats =
      state.heartbeat.exists(beat => HeartbeatSchedule.begin(session, beat.batchTime, next))
    val watermark = MILLISECONDS.toMicros(eventTimeWatermarkForEviction.getOrElse(0L))
    val isRealTime = RealTime.readsStream(child)
    val reemitsAll = UncommittedOutput.mustReemit(session)
    StateStores.mapPartitions(
      this, child.execute(),
      StateShim.schemaOnDisk(DataTypeUtils.fromAttributes(keyExpressions)),
      StateShim.schemaOnDisk(DataTypeUtils.fromAttributes(state.values))) {
      (store, rows) =>
        val timely = late.fold(rows)(applyRemovingRowsOlderThanWatermark(rows, _))
        new KeyedChanges(
          state, store, timely, expired, watermark, repeats, next, isRealTime, reemitsAll,
          longMetric) {
          private val start = System.nanoTime()

          override protected def finish(emit: UnsafeRow => Unit): Unit = {
            measureUpdates(start)
            measureRemovals(super.finish(emit))
          }

          override protected def commit(): Unit = measureCommit(store)(store.commit())
        }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): EmitOnChangeKeyExec =
    copy(child = newChild)
}
