package io.eddyline.spark.streamingquery

import java.nio.channels.ClosedByInterruptException
import java.time.{Duration, Instant}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.Sessions
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryProgress}

import io.eddyline.spark.{EddylineConf, EddylineErrors, Redaction}
import io.eddyline.spark.emit.{Emit, EmitStrategy}
import io.eddyline.spark.globaltable.GlobalTables

/**
 * A streaming query that SQL started. It lives in a session of its own, a copy of the one that
 * started it, so it goes on when that is closed.
 *
 * Errors, from `start`: EDDYLINE_STREAMING_QUERY.ALREADY_RUNNING, COLUMN_MISSING, EMIT_MISSING,
 * NOT_FOUND, NOT_STREAMING, TRIGGER, and Spark's own of the query and of an INSERT into its table.
 *
 * @param checkpoint qualified path
 * @param user who started it
 */
private[streamingquery] class ManagedStreamingQuery(
    val definition: StreamingQueryDefinition,
    val checkpoint: String,
    val user: String,
    session: SparkSession) {
  private case class Run(query: StreamingQuery, insert: BatchInsert, started: Instant)

  @volatile private var run: Option[Run] = None
  @volatile private var stopped = false
  private var dropped = false
  @volatile private var earlierError: Option[String] = None

  def name: String = definition.name

  def status: QueryStatus = run match {
    case None => QueryStatus.Stopped
    case Some(Run(query, _, _)) if query.isActive => QueryStatus.Running
    case Some(_) if error.isDefined => QueryStatus.Failed
    case Some(_) if stopped => QueryStatus.Stopped
    case Some(_) => QueryStatus.Finished
  }

  /** Of this run, or the last one that failed; without secrets. */
  def lastError: Option[String] = error.orElse(earlierError)

  /** Of this run. A stop interrupts it, which is no error. */
  private def error: Option[String] =
    run.flatMap(_.query.exception).filterNot(stopped && causes(_).exists(isInterruption))
      .map(error => Redaction.text(session.sessionState.conf, rootMessage(error)))

  def started: Option[Instant] = run.map(_.started)

  def id: Option[String] = run.map(_.query.id.toString)

  def runId: Option[String] = run.map(_.query.runId.toString)

  /** The micro-batches that Spark remembers, oldest first. */
  def progress: Seq[StreamingQueryProgress] = run.toSeq.flatMap(_.query.recentProgress)

  /** The plan of the last micro-batch. */
  def explain: String = run.map(_.query).collect {
    case query: StreamingQueryWrapper => query.explainInternal(false)
  }.getOrElse("")

  /** The statement that makes this query, without secrets. */
  def sql: String = definition.sql(session.sessionState.conf)

  def options: Map[String, String] =
    Redaction.options(session.sessionState.conf, definition.options)

  /**
   * Starts the query where its checkpoint ends; returns when it is set up.
   *
   * @param place of the name in the statement that starts it
   */
  def start(place: Origin): Unit = synchronized {
    if (dropped) fail("NOT_FOUND", place)
    if (status == QueryStatus.Running) fail("ALREADY_RUNNING", place)
    earlierError = lastError
    val (confs, ofWriter) = definition.options.partition(_._1.startsWith("spark."))
    confs.foreach { case (key, value) => session.conf.set(key, value) }
    // else Spark would stop a query of a program that has this checkpoint
    session.conf.set(SQLConf.STREAMING_STOP_ACTIVE_RUN_ON_RESTART.key, "false")
    val frame = Sessions.frame(session, definition.query)
    if (!frame.isStreaming) fail("NOT_STREAMING", place)
    GlobalTables.of(session).load(Sessions.plan(frame))
    val pace = paceOf(Sessions.plan(frame))
    val insert = new BatchInsert(session, definition.sink)
    insert.check(frame.schema)
    val writer = frame.writeStream
      .queryName(name)
      .trigger(pace.trigger)
      .options(ofWriter)
      .option("checkpointLocation", checkpoint)
      .foreachBatch(insert)
    val query = try writer.start() catch {
      case e: IllegalStateException => // of StreamingQueryManager, which knows programs' queries
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE",
          Map("checkpoint" -> checkpoint, "other" -> "a query that a program started"),
          place, Some(e))
    }
    stopped = false
    run = Some(Run(query, insert, Instant.now()))
  }

  /** Lets the micro-batch that runs come to its end, for as long as the conf allows, and stops. */
  def stop(): Unit = synchronized {
    run.filter(_.query.isActive).foreach { case Run(query, insert, _) =>
      stopped = true
      insert.close()
      try {
        val patience = session.sessionState.conf.getConf(EddylineConf.STOP_TIMEOUT)
        val deadline = System.nanoTime() + Duration.ofMillis(patience).toNanos
        while (query.isActive && query.status.isTriggerActive && !insert.isHolding &&
            System.nanoTime() < deadline) {
          Thread.sleep(ManagedStreamingQuery.POLL_MS)
        }
      } finally query.stop()
    }
  }

  /** Stops it for good: who still holds it cannot start it again. */
  def drop(): Unit = synchronized {
    stop()
    dropped = true
  }

  /** Waits until the query has ended, at most so long. */
  def await(timeout: Option[Duration]): Unit = run.foreach { current =>
    try {
      timeout match {
        case Some(limit) => current.query.awaitTermination(limit.toMillis)
        case None => current.query.awaitTermination()
      }
    } catch {
      case e: Exception if current.query.exception.contains(e) => // told by the status
    }
  }

  /** The pace of EMIT EVERY, else of TRIGGER; a query without EMIT must be able to append. */
  private def paceOf(plan: LogicalPlan): Pace = {
    val emit = plan.collectFirst { case emit: Emit => emit }
    if (emit.isEmpty) requireAppend(plan)
    val every = emit.flatMap(_.every)
    (every, definition.pace) match {
      case (Some(interval), Pace.Continuous) => Pace.Every(interval)
      case (Some(interval), pace) if pace != Pace.Every(interval) =>
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.TRIGGER",
          Map("trigger" -> pace.sql.mkString, "every" -> EmitStrategy.pace(interval)),
          emit.get.origin)
      case (_, pace) => pace
    }
  }

  private def requireAppend(plan: LogicalPlan): Unit =
    try UnsupportedOperationChecker.checkForStreaming(plan, OutputMode.Append())
    catch {
      case cannotAppend: AnalysisException =>
        UnsupportedOperationChecker.checkForStreaming(plan, OutputMode.Update())
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.EMIT_MISSING",
          Map.empty, definition.query.origin, Some(cannotAppend))
    }

  private def rootMessage(error: Throwable): String = {
    val root = causes(error).last
    Option(root.getMessage).getOrElse(root.toString)
  }

  private def causes(error: Throwable): Seq[Throwable] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq

  private def isInterruption(error: Throwable): Boolean = error match {
    case _: InterruptedException | _: ClosedByInterruptException => true
    case _ => false
  }

  private def fail(condition: String, place: Origin): Nothing =
    throw EddylineErrors.analysis(
      s"EDDYLINE_STREAMING_QUERY.$condition", Map("name" -> name), place)
}

private object ManagedStreamingQuery {
  private val POLL_MS = 10L
}

/** What a streaming query does. */
sealed abstract class QueryStatus(val name: String)

object QueryStatus {
  case object Running extends QueryStatus("RUNNING")

  /** By STOP. */
  case object Stopped extends QueryStatus("STOPPED")

  /** With an error. */
  case object Failed extends QueryStatus("FAILED")

  /** It has read what there was to read. */
  case object Finished extends QueryStatus("FINISHED")
}
