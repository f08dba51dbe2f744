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

/**
 * A streaming query that can start: its tables exist, and its columns fit into the target table. It
 * is resolved against the current catalog at each start.
 */
private[streamingquery] class ResolvedQuery(
    definition: StreamingQueryDefinition,
    frame: DataFrame,
    pace: Pace,
    val insert: BatchWriter) {

  /** The analyzed plan of the query. */
  def plan: LogicalPlan = SessionInternals.plan(frame)

  /**
   * Checks that all tasks of a micro-batch can run at once, as they must in real-time mode: at
   * least one for each stream, and one for each partition of the state. Spark checks it when the
   * first micro-batch begins, and counts what is free then.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.REAL_TIME_SLOTS.
   */
  def requireSlots(place: Origin): Unit = {
    val session = frame.sparkSession
    val streams = plan.collectLeaves().count(_.isStreaming)
    val partitions = ResolvedQuery.state(plan).fold(0) {
      case total: Aggregate if total.groupingExpressions.isEmpty => 1
      case _ => session.sessionState.conf.numShufflePartitions
    }
    SessionInternals.slots(session.sparkContext).filter(_ < streams + partitions).foreach { slots =>
      throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.REAL_TIME_SLOTS",
        Map("needed" -> (streams + partitions).toString, "streams" -> streams.toString,
          "partitions" -> partitions.toString, "slots" -> slots.toString), place)
    }
  }

  def writer(checkpoint: String): DataStreamWriter[Row] = {
    val target = pace match {
      case _: Pace.RealTime => insert.realTime(frame).outputMode(OutputMode.Update())
      case _ => frame.writeStream.foreachBatch(insert)
    }
    target
      .queryName(definition.name)
      .trigger(pace.trigger)
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
      definition: StreamingQueryDefinition,
      own: QuerySession,
      place: Origin): ResolvedQuery = {
    definition.confs.foreach { case (key, value) => own.session.conf.set(key, value) }
    // otherwise Spark would stop a program's query that uses this checkpoint
    own.session.conf.set(SQLConf.STREAMING_STOP_ACTIVE_RUN_ON_RESTART.key, "false")
    val frame = own.resolve(definition.query)
    val plan = SessionInternals.plan(frame)
    if (!frame.isStreaming) {
      throw EddylineErrors.analysis(
        "EDDYLINE_STREAMING_QUERY.NOT_STREAMING", Map("name" -> definition.name), place)
    }
    own.as(GlobalTables.of(own.session).load(plan))
    if (definition.isRealTime) requireRealTime(plan, definition)
    own.as(own.session.withActive(requireSupported(plan, definition)))
    val pace = paceOf(plan, definition)
    if (definition.isRealTime && plan.exists(hasOperator)) {
      own.session.conf.set(SQLConf.STREAMING_REAL_TIME_MODE_ALLOWLIST_CHECK.key, "false")
    }
    val insert = own.as(new BatchWriter(own, definition.sink, plan))
    if (definition.isRealTime) own.as(insert.requireRealTime())
    own.as(own.session.withActive(insert.check(frame.schema)))
    new ResolvedQuery(definition, frame, pace, insert)
  }

  /** The first node of a stream that keeps state, before which its rows are shuffled. */
  private def state(plan: LogicalPlan): Option[LogicalPlan] = plan.collect {
    case node @ (_: Aggregate | _: Distinct | _: Deduplicate) if node.isStreaming => node
    case emit: Emit if emit.keepsState => emit
  }.lastOption

  /** Whether eddyline runs a clause by an operator of its own, which CheckRealTimePlan permits. */
  private def hasOperator(node: LogicalPlan): Boolean = node match {
    case emit: Emit => emit.strategy == EmitStrategy.OnChange
    case _: AssumePartitionedBy => true
    case _ => false
  }

  /** The pace of EMIT EVERY, else of TRIGGER. */
  private def paceOf(plan: LogicalPlan, definition: StreamingQueryDefinition): Pace = {
    val emit = Emit.in(plan)
    val every = emit.flatMap(_.every)
    (every, definition.pace) match {
      case (Some(interval), Pace.AsSoonAsPossible) => Pace.Every(interval)
      case (Some(interval), pace) if pace != Pace.Every(interval) =>
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.TRIGGER_MISMATCH",
          Map("trigger" -> pace.sql.mkString, "every" -> Intervals.sql(interval)),
          emit.get.origin)
      case (_, pace) => pace
    }
  }

  /** Checks that the Spark here, and real-time mode as such, can run the query. */
  private def requireRealTime(plan: LogicalPlan, definition: StreamingQueryDefinition): Unit = {
    Emit.in(plan).foreach(ResolveEmitMode.checkRealTime)
    RealTimeStreams.requireDistinct(plan)
    if (!RealTimeShim.HAS_STATE && state(plan).isDefined) {
      throw EddylineErrors.analysis(
        "EDDYLINE_STREAMING_QUERY.REAL_TIME_STATE", Map.empty, definition.query.origin)
    }
  }

  /** Checks what Spark would check after it has made the folder of the checkpoint. */
  private def requireSupported(plan: LogicalPlan, definition: StreamingQueryDefinition): Unit =
    Emit.in(plan) match {
      case None if definition.isRealTime =>
        UnsupportedOperationChecker.checkForStreaming(plan, OutputMode.Update())
      case None => requireAppend(plan, definition)
      case Some(emit) =>
        CheckEmit.above(plan, emit)
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
