package io.eddyline.spark.emit.aggregate

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.eddyline.StateStores
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.streaming.{OutputMode, StateOperatorProgress}

import io.eddyline.spark.emit.clause.ChangeType
import io.eddyline.spark.shim.StateShim

/**
 * Runs EMIT ON CHANGE WITH CHANGE TYPE over an aggregation in session windows, which Spark reports
 * only when they close: compares the sessions of each key with those before the micro-batch. A
 * session that is longer now is a delete and an insert, since its window is another one, and two
 * that have become one are two deletes and an insert (KIP-150, session merge). The deletes of a key
 * come first. A session that the watermark closes is final, so it is removed and not reported.
 *
 * It replaces `SessionWindowStateStoreSaveExec`, the final aggregation, and the HAVING and
 * projections above. A checkpoint can be continued with this clause or with EMIT ON WINDOW CLOSE.
 *
 * @param keyExpressions the keys without the window
 * @param window the column of the window
 * @param conversion turns a row of the state into a row of the result
 * @param output the columns of the result
 * @param compared the columns of the result that decide whether it changed
 * @param child the sessions of each key of the micro-batch, merged with those of the state, in the
 *              order of keys
 */
case class EmitOnChangeSessionsExec(
    keyExpressions: Seq[Attribute],
    window: Attribute,
    stateInfo: Option[StatefulOperatorStateInfo],
    outputMode: Option[OutputMode],
    eventTimeWatermarkForLateEvents: Option[Long],
    eventTimeWatermarkForEviction: Option[Long],
    stateFormatVersion: Int,
    conversion: StateToResult,
    override val output: Seq[Attribute],
    compared: Seq[Attribute],
    changeType: Option[ChangeType],
    child: SparkPlan)
  extends EmitAggregationExec {

  override protected val save =
    SessionWindowStateStoreSaveExec(keyExpressions, window, stateInfo, outputMode,
      eventTimeWatermarkForLateEvents, eventTimeWatermarkForEviction, stateFormatVersion, child)

  private val state = StreamingSessionWindowStateManager.createStateManager(
    keyExpressions, window, child.output, stateFormatVersion)

  override def nodeName: String = "EmitOnChangeSessions"

  /** Reports the late rows that Spark's operator below this one has dropped. */
  override def getProgress(): StateOperatorProgress = {
    child.collectFirst { case restore: SessionWindowStateStoreRestoreExec =>
      val late = restore.longMetric("numRowsDroppedByWatermark")
      longMetric("numRowsDroppedByWatermark").set(late.value)
    }
    super.getProgress()
  }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // created on the driver, before the tasks use them
    val keySchema = StateShim.schemaOnDisk(state.getStateKeySchema)
    val valueSchema = StateShim.schemaOnDisk(state.getStateValueSchema)
    val prefix = state.getNumColsForPrefixKey
    StateStores.mapRead(this, child.execute(), keySchema, valueSchema, prefix)(
      new ChangedSessions(_, _))
  }

  /** The changed sessions of one partition. */
  private class ChangedSessions(store: StateStore, sessions: Iterator[InternalRow])
    extends ChangesIterator(sessions, isRealTime = false,
      longMetric(EmitMetrics.EMITTED), longMetric("numOutputRows")) {
    private val results = new ResultChangeEmitter(
      child.output, conversion, output, Some(compared), changeType, longMetric)
    private val windowOf = UnsafeProjection.create(Seq(window), child.output)
    private val updated = longMetric("numUpdatedStateRows")
    private val removed = longMetric("numRemovedStateRows")
    private val start = System.nanoTime()
    private val keySessions = ArrayBuffer.empty[UnsafeRow]
    private var key: UnsafeRow = _

    override protected def change(row: InternalRow, emit: UnsafeRow => Unit): Unit = {
      val session = row.asInstanceOf[UnsafeRow]
      val sessionKey = state.extractKeyWithoutSession(session)
      if (sessionKey != key) {
        replaceSessions(emit)
        key = sessionKey.copy()
      }
      keySessions += session.copy()
    }

    override protected def finish(emit: UnsafeRow => Unit): Unit = replaceSessions(emit)

    /** Emits the changes of a key's sessions, and stores the sessions. */
    private def replaceSessions(emit: UnsafeRow => Unit): Unit = if (keySessions.nonEmpty) {
      val old = byWindow(state.getSessions(store, key).map(_.copy()))
      val now = byWindow(keySessions.iterator)
      old.foreach { case (window, session) =>
        if (!now.contains(window)) results.delete(session, emit)
      }
      now.foreach { case (window, session) =>
        old.get(window) match {
          case None => results.insert(session, reemit = false, emit)
          case Some(same) if same == session =>
          case Some(previous) => results.update(previous, session, reemit = false, emit)
        }
      }
      val (put, deleted) = state.updateSessions(store, key, keySessions.toSeq)
      updated += put
      removed += deleted
      keySessions.clear()
    }

    private def byWindow(sessions: Iterator[UnsafeRow]): Map[UnsafeRow, UnsafeRow] =
      sessions.map(session => windowOf(session).copy() -> session).toMap

    override protected def commit(): Unit = {
      measureUpdates(start)
      measureRemovals {
        watermarkPredicateForDataForEviction.foreach { isClosed =>
          state.removeByValueCondition(store, isClosed.eval).foreach(_ => removed += 1)
        }
      }
      measureCommit(store)(state.commit(store))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): EmitOnChangeSessionsExec =
    copy(child = newChild)
}
