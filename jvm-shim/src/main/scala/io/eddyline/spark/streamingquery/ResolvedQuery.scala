package io.eddyline.spark.streamingquery

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Deduplicate, Distinct, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{DataStreamWriter, OutputMode}

import io.eddyline.spark.assume.claim.AssumePartitionedBy
import io.eddyline.spark.base.{EddylineErrors, Intervals, RealTimeStreams}
import io.eddyline.spark.emit.{CheckEmit, ResolveEmitMode}
import io.eddyline.spark.emit.clause.{Emit, EmitStrategy}
import io.eddyline.spark.globaltable.refresh.GlobalTables
import io.eddyline.spark.shim.RealTimeShim
import io.eddyline.spark.streamingquery.state.CheckedQuery

/**
 * A streaming query that can start: its tables exist, and its columns fit into the target table. It
 * is resolved against the current catalog at each start.
 */
private[streamingquery] class ResolvedQuery(
    definition: StreamingQueryDefinition,
    frame: DataFrame,
    trigger: TriggerSpec,
    val insert: BatchWriter) {

  /** The analyzed plan of the query. */
  def plan: LogicalPlan = SessionInternals.plan(frame)

  /** The same query, which ends when it has processed what there is. */
  def overAvailable: ResolvedQuery =
    new ResolvedQuery(definition, frame, TriggerSpec.AvailableNow, insert)

  /** The folders of the tables that it reads and writes. */
  def folders: Seq[TableFolder] =
    TableFolder.in(plan, frame.sparkSession.sessionState.newHadoopConf()) ++ insert.folders

  def writer(checkpoint: String): DataStreamWriter[Row] = {
    val target = trigger match {
      case _: TriggerSpec.RealTime => insert.realTimeWriter(frame)
      case _ => frame.writeStream.foreachBatch(insert)
    }
    (if (definition.isRealTime) target.outputMode(OutputMode.Update()) else target)
      .queryName(definition.name)
      .trigger(trigger.spark)
      .options(definition.writerOptions)
      .option("checkpointLocation", checkpoint)
  }
}

private[streamingquery] object ResolvedQuery {

  /**
   * Resolves and checks a query.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.EMIT_MISSING, NOT_STREAMING, REAL_TIME_CLAUSE,
   * REAL_TIME_SINK, REAL_TIME_STATE, REAL_TIME_STREAM, TRIGGER_MISMATCH, UNRESOLVED_COLUMN, and
   * Spark's own of the query and of an INSERT into its table.
   *
   * @param place position of the name in the statement that starts it
   */
  def apply(
      definition: StreamingQueryDefinition, own: QuerySession, place: Origin): ResolvedQuery = {
    // otherwise Spark would stop a program's query that uses this checkpoint
    own.session.conf.set(SQLConf.STREAMING_STOP_ACTIVE_RUN_ON_RESTART.key, "false")
    val frame = resolve(definition, own, place)
    val plan = SessionInternals.plan(frame)
    CheckedQuery.mark(plan)
    own.as(GlobalTables.of(own.session).load(plan))
    if (definition.isRealTime) requireRealTime(plan, definition)
    own.as(own.session.withActive(requireSupported(plan, definition)))
    val trigger = triggerOf(plan, definition)
    // eddyline runs these clauses by operators of its own, which CheckRealTimePlan permits
    val hasOperator = plan.exists {
      case emit: Emit => emit.strategy == EmitStrategy.OnChange
      case node => node.isInstanceOf[AssumePartitionedBy]
    }
    if (definition.isRealTime && hasOperator) {
      own.session.conf.set(SQLConf.STREAMING_REAL_TIME_MODE_ALLOWLIST_CHECK.key, "false")
    }
    val insert = own.as(new BatchWriter(own, definition.sink, plan))
    if (definition.isRealTime) own.as(insert.requireRealTime())
    own.as(own.session.withActive(insert.check(frame.schema)))
    new ResolvedQuery(definition, frame, trigger, insert)
  }

  /** Resolves a query. Errors: EDDYLINE_STREAMING_QUERY.NOT_STREAMING. */
  def resolve(definition: StreamingQueryDefinition, own: QuerySession, place: Origin): DataFrame = {
    definition.confs.foreach { case (key, value) => own.session.conf.set(key, value) }
    val frame = own.resolve(definition.query)
    if (!frame.isStreaming) {
      EddylineErrors.fail(
        "EDDYLINE_STREAMING_QUERY.NOT_STREAMING", place, "name" -> definition.name)
    }
    frame
  }

  /** The interval of EMIT EVERY, else TRIGGER. */
  private def triggerOf(plan: LogicalPlan, definition: StreamingQueryDefinition): TriggerSpec = {
    val emit = Emit.findIn(plan)
    val every = emit.flatMap(_.every)
    (every, definition.trigger) match {
      case (Some(interval), TriggerSpec.AsSoonAsPossible) => TriggerSpec.Every(interval)
      case (Some(interval), trigger) if trigger != TriggerSpec.Every(interval) =>
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.TRIGGER_MISMATCH", emit.get.origin,
          "trigger" -> trigger.sql.mkString, "every" -> Intervals.sql(interval))
      case (_, trigger) => trigger
    }
  }

  /** Checks that the Spark here, and real-time mode as such, can run the query. */
  private def requireRealTime(plan: LogicalPlan, definition: StreamingQueryDefinition): Unit = {
    Emit.findIn(plan).foreach(ResolveEmitMode.checkRealTime)
    RealTimeStreams.requireDistinct(plan)
    def hasState = plan.exists {
      case node @ (_: Aggregate | _: Distinct | _: Deduplicate) => node.isStreaming
      case emit: Emit => emit.keepsState
      case _ => false
    }
    if (!RealTimeShim.HAS_STATE && hasState) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.REAL_TIME_STATE", definition.query.origin)
    }
  }

  /** Checks what Spark would check after it has made the folder of the checkpoint. */
  private def requireSupported(plan: LogicalPlan, definition: StreamingQueryDefinition): Unit =
    Emit.findIn(plan) match {
      case None if definition.isRealTime =>
        UnsupportedOperationChecker.checkForStreaming(plan, OutputMode.Update())
      case None =>
        CheckEmit.checkSessionKeys(plan, definition.query.origin)
        requireAppend(plan, definition)
      case Some(emit) =>
        CheckEmit.checkOperatorsAbove(plan)
        if (SQLConf.get.isUnsupportedOperationCheckEnabled) {
          val mode = if (definition.isRealTime) OutputMode.Update() else emit.outputMode
          UnsupportedOperationChecker.checkForStreaming(plan, mode)
        }
    }

  private def requireAppend(plan: LogicalPlan, definition: StreamingQueryDefinition): Unit =
    try UnsupportedOperationChecker.checkForStreaming(plan, OutputMode.Append())
    catch {
      case cannotAppend: AnalysisException =>
        UnsupportedOperationChecker.checkForStreaming(plan, OutputMode.Update())
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.EMIT_MISSING",
          Map.empty, definition.query.origin, Some(cannotAppend))
    }
}
