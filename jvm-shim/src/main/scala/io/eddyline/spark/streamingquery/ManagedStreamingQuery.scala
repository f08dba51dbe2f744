package io.eddyline.spark.streamingquery

import java.time.{Duration, Instant}

import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.Sessions
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryProgress}

import io.eddyline.spark.{EddylineConf, EddylineErrors}
import io.eddyline.spark.emit.{Emit, EmitStrategy}

/**
 * A streaming query that SQL started. It lives in a session of its own, a copy of the one that
 * started it, so it goes on when that is closed.
 *
 * Errors, from `start`: EDDYLINE_STREAMING_QUERY.ALREADY_RUNNING, COLUMN_MISSING, EMIT_MISSING,
 * NOT_STREAMING, TRIGGER, and Spark's own of the query and of an INSERT into its table.
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
  @volatile private var earlierError: Option[String] = None

  def name: String = definition.name

  def status: QueryStatus = run match {
    case Some(Run(query, _, _)) if query.isActive => QueryStatus.Running
    case None | Some(_) if stopped => QueryStatus.Stopped
    case Some(Run(query, _, _)) if query.exception.isDefined => QueryStatus.Failed
    case Some(_) => QueryStatus.Finished
    case None => QueryStatus.Stopped
  }

  /** Of this run, or the last one that failed; without secrets. */
  def lastError: Option[String] =
    run.filterNot(_ => stopped).flatMap(_.query.exception)
      .map(error => Redaction.text(session.sessionState.conf, rootMessage(error)))
      .orElse(earlierError)

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

  /** Starts the query where its checkpoint ends; returns when it is set up. */
  def start(): Unit = synchronized {
    if (status == QueryStatus.Running) fail("ALREADY_RUNNING", "name" -> name)
    earlierError = lastError
    val (confs, ofWriter) = definition.options.partition(_._1.startsWith("spark."))
    confs.foreach { case (key, value) => session.conf.set(key, value) }
    val frame = Sessions.frame(session, definition.query)
    if (!frame.isStreaming) fail("NOT_STREAMING", "name" -> name)
    val pace = paceOf(Sessions.plan(frame))
    val insert = new BatchInsert(session, definition.sink)
    insert.check(frame.schema)
    val query = frame.writeStream
      .queryName(name)
      .trigger(pace.trigger)
      .options(ofWriter)
      .option("checkpointLocation", checkpoint)
      .foreachBatch(insert)
      .start()
    stopped = false
    run = Some(Run(query, insert, Instant.now()))
  }

  /** Lets the micro-batch that runs come to its end, for as long as the conf allows, and stops. */
  def stop(): Unit = synchronized {
    run.filter(_.query.isActive).foreach { case Run(query, insert, _) =>
      stopped = true
      insert.close()
      val patience = session.sessionState.conf.getConf(EddylineConf.STOP_TIMEOUT)
      val deadline = System.nanoTime() + Duration.ofMillis(patience).toNanos
      while (query.isActive && query.status.isTriggerActive && !insert.isHolding &&
          System.nanoTime() < deadline) {
        Thread.sleep(ManagedStreamingQuery.POLL_MS)
      }
      query.stop()
    }
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
      case cannotAppend: org.apache.spark.sql.AnalysisException =>
        UnsupportedOperationChecker.checkForStreaming(plan, OutputMode.Update())
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.EMIT_MISSING",
          Map.empty, definition.query.origin, Some(cannotAppend))
    }

  private def rootMessage(error: Throwable): String =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq.last match {
      case root if root.getMessage == null => root.toString
      case root => root.getMessage
    }

  private def fail(condition: String, parameters: (String, String)*): Nothing =
    throw EddylineErrors.analysis(
      s"EDDYLINE_STREAMING_QUERY.$condition", parameters.toMap, definition.place)
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
