package io.eddyline.spark.streamingquery

import java.nio.channels.ClosedByInterruptException
import java.time.{Duration, Instant}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

import io.eddyline.spark.{EddylineConf, EddylineErrors, Redaction}

/**
 * A streaming query that SQL started. It lives in a session of its own, so it goes on when that of
 * its START is closed.
 *
 * Errors, from `start` and `restart`: EDDYLINE_STREAMING_QUERY.ALREADY_RUNNING, CHECKPOINT_IN_USE,
 * NOT_FOUND, and those of [[ResolvedQuery]]. They leave the query as it was.
 *
 * @param checkpoint qualified path
 */
private[streamingquery] class ManagedStreamingQuery(
    val definition: StreamingQueryDefinition,
    val checkpoint: String,
    own: QuerySession) {
  private case class Run(query: StreamingQuery, insert: BatchInsert, started: Instant)

  @volatile private var run: Option[Run] = None
  @volatile private var stopped = false
  @volatile private var restarting = false
  private var dropped = false
  @volatile private var earlierError: Option[String] = None

  def name: String = definition.name

  /** Who defined it. */
  def user: String = own.user

  /** Whether it was started and not dropped; waits for a statement about it that runs. */
  def isThere: Boolean = synchronized(!dropped)

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
      .map(error => shown(rootMessage(error)))

  def started: Option[Instant] = run.map(_.started)

  def id: Option[String] = run.map(_.query.id.toString)

  def runId: Option[String] = run.map(_.query.runId.toString)

  /** The micro-batches that Spark remembers, oldest first. */
  def progress: Seq[StreamingQueryProgress] = run.toSeq.flatMap(_.query.recentProgress)

  /** The plan of the last micro-batch, without secrets. */
  def explain: String = run.map(_.query).collect {
    case query: StreamingQueryWrapper => shown(query.explainInternal(false))
  }.getOrElse("")

  /** The statement that makes this query, without secrets. */
  def sql: String = definition.sql(conf)

  def options: Map[String, String] = Redaction.options(conf, definition.options)

  /** A text about this query, without secrets. */
  def shown(text: String): String = definition.shown(conf, text)

  private def conf: SQLConf = own.session.sessionState.conf

  /**
   * Starts the query where its checkpoint ends; returns when it is set up.
   *
   * @param place of the name in the statement that starts it
   */
  def start(place: Origin): Unit = synchronized {
    requireThere(place)
    if (status == QueryStatus.Running) fail("ALREADY_RUNNING", place)
    launch(ResolvedQuery(definition, own, place), place)
  }

  /** Stops the query, and starts it again. One that could not start is not stopped. */
  def restart(place: Origin): Unit = synchronized {
    requireThere(place)
    restarting = true
    try {
      if (status == QueryStatus.Running) {
        ResolvedQuery(definition, own, place)
        stop()
      }
      // what the last micro-batch wrote may be among the tables that the query reads
      launch(ResolvedQuery(definition, own, place), place)
    } finally restarting = false
  }

  private def launch(resolved: ResolvedQuery, place: Origin): Unit = {
    val query = try own.as(resolved.writer(checkpoint).start()) catch {
      case e: IllegalStateException => // of StreamingQueryManager, which knows programs' queries
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE",
          Map("checkpoint" -> shown(checkpoint), "other" -> "a query that a program started"),
          place, Some(e))
    }
    earlierError = lastError
    stopped = false
    run = Some(Run(query, resolved.insert, Instant.now()))
  }

  /** Lets the micro-batch that runs come to its end, for as long as the conf allows, and stops. */
  def stop(): Unit = synchronized {
    run.filter(_.query.isActive).foreach { case Run(query, insert, _) =>
      stopped = true
      insert.close()
      try {
        val patience = conf.getConf(EddylineConf.STOP_TIMEOUT)
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

  /** Waits until the query has ended, at most so long. A RESTART is no end. */
  def await(timeout: Option[Duration]): Unit = {
    val deadline = timeout.map(System.nanoTime + _.toNanos)
    @tailrec def awaitEnd(current: Option[Run]): Unit = {
      val left = deadline.map(at => NANOSECONDS.toMillis(at - System.nanoTime))
      if (left.forall(_ > 0)) {
        current.foreach(run => awaitRun(run.query, left))
        if (restarting) {
          Thread.sleep(ManagedStreamingQuery.POLL_MS)
          awaitEnd(run)
        } else if (run != current) {
          awaitEnd(run)
        }
      }
    }
    awaitEnd(run)
  }

  private def awaitRun(query: StreamingQuery, millis: Option[Long]): Unit =
    try millis.fold(query.awaitTermination())(query.awaitTermination(_): Unit)
    catch {
      case e: Exception if query.exception.contains(e) => // told by the status
    }

  private def requireThere(place: Origin): Unit = if (dropped) fail("NOT_FOUND", place)

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
