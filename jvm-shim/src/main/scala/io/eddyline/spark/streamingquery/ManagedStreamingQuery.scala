package io.eddyline.spark.streamingquery

import java.nio.channels.ClosedByInterruptException
import java.time.{Duration, Instant}
import java.util.concurrent.TimeUnit.NANOSECONDS

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.{SessionInternals, StreamListeners}
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

import io.eddyline.spark.base.{EddylineConf, EddylineErrors, Redaction}
import io.eddyline.spark.kafka.TopicTable
import io.eddyline.spark.realtime.UncommittedOutput
import io.eddyline.spark.shim.RealTimeShim
import io.eddyline.spark.streamingquery.state.StateMismatch
import io.eddyline.spark.streamingquery.store.FileName
import io.eddyline.spark.streamingquery.validation.Checkpoint

/**
 * A streaming query that SQL started. It has a session of its own, so it continues after the
 * session of its START statement is closed.
 *
 * Statements change it while they have the lock of its name, see [[NameLocks]].
 *
 * Errors, from `start` and `restart`: EDDYLINE_STREAMING_QUERY.ALREADY_RUNNING, CHECKPOINT_DAMAGED,
 * CHECKPOINT_IN_USE, REAL_TIME_CHECKPOINT, and those of [[ResolvedQuery]] and [[RealTimeSlots]].
 * After an error the query is as before. From `requireDeletable`: CHECKPOINT_NOT_DELETED.
 *
 * @param checkpoint qualified path of the checkpoint folder
 * @param generation the generation of the checkpoint that has its state
 * @param registered the queries of the application, whose checkpoints must not meet its tables, nor
 *   its checkpoint their tables
 */
private[spark] class ManagedStreamingQuery(
    val definition: StreamingQueryDefinition,
    val checkpoint: String,
    val generation: Int,
    own: QuerySession,
    registered: () => Seq[ManagedStreamingQuery]) {
  private case class Run(query: StreamingQuery, insert: BatchWriter, started: Instant) {
    @volatile var stopped = false

    /** Lets no write of the run begin any more, since it is stopped. */
    def close(): Unit = {
      stopped = true
      insert.close()
    }

    /** Its error; None if it has none, or was interrupted by a stop. */
    def error: Option[String] = query.exception
      .filterNot(error =>
        stopped && EddylineErrors.causes(error).exists {
          case _: InterruptedException | _: ClosedByInterruptException => true
          case _ => false
        })
      .map(error => redact(EddylineErrors.rootMessage(StateMismatch.named(error, checkpoint))))
  }

  @volatile private var run: Option[Run] = None
  @volatile private var restarting = false

  /** The folders of its tables when a statement last resolved it; empty before. */
  @volatile private var folders = Seq.empty[TableFolder]

  @volatile private var earlierError: Option[String] = None

  def name: String = definition.name

  /** Whether it continues after the application has ended. */
  def isPersistent: Boolean = false

  /** Whether it exists: a persistent query from CREATE, which stores it, to DROP. */
  @volatile var isStored = true

  /** The user who defined it. */
  def user: String = own.user

  /** The session in which it runs. */
  def session: SparkSession = own.session

  /** Its plan, resolved against the current catalog. Errors: those of [[ResolvedQuery]]. */
  def plan(place: Origin): LogicalPlan = ResolvedQuery(definition, own, place).plan

  /** The same plan; raises all errors that a START would raise. */
  def startablePlan(place: Origin): LogicalPlan = startable(place).plan

  def status: QueryStatus = run match {
    case None => QueryStatus.Stopped
    case Some(run) if run.query.isActive => QueryStatus.Running
    case Some(run) if run.error.isDefined => QueryStatus.Failed
    case Some(run) if run.stopped => QueryStatus.Stopped
    case Some(_) => QueryStatus.Finished
  }

  /** The error of this run, else of the last run that failed, without secrets; None: no error. */
  def lastError: Option[String] = run.flatMap(_.error).orElse(earlierError)

  def started: Option[Instant] = run.map(_.started)

  def id: Option[String] = run.map(_.query.id.toString)

  def runId: Option[String] = run.map(_.query.runId.toString)

  /** The query as Spark knows it, of the last run; None if it never ran. */
  def lastRun: Option[StreamingQuery] = run.map(_.query)

  /** The progress of the recent micro-batches that Spark keeps, oldest first. */
  def progress: Seq[StreamingQueryProgress] =
    run.toSeq.flatMap(run => MicroBatchProgress.of(run.query))

  /** The plan of the last micro-batch, without secrets; empty if the query never ran. */
  def explain: String = run.map(_.query).collect {
    case query: StreamingQueryWrapper => redact(query.explainInternal(false))
  }.getOrElse("")

  /** The statement that starts this query, without secrets. */
  def sql: String = definition.sql(conf)

  def options: Map[String, String] = Redaction.options(conf, definition.options)

  /** Removes this query's secrets from a text. */
  def redact(text: String): String = definition.redact(conf, text)

  private def conf: SQLConf = own.session.sessionState.conf

  private def hadoopConf: Configuration = own.session.sessionState.newHadoopConf()

  protected lazy val folder: CheckpointFolder =
    new CheckpointFolder(checkpoint, generation, hadoopConf)

  /** What the checkpoint has of the query. */
  def storedState: Checkpoint = new Checkpoint(folder.location, own.session)

  /** The generation that a query with its name continues from a checkpoint. */
  def generationIn(path: String): Int =
    if (path == checkpoint) generation else CheckpointFolder.newest(path, hadoopConf)

  /**
   * Starts the query from its checkpoint; returns when it is initialized.
   *
   * @param place position of the name in the statement that starts it
   */
  def start(place: Origin): Unit = synchronized {
    if (status == QueryStatus.Running) {
      EddylineErrors.fail(
        "EDDYLINE_STREAMING_QUERY.ALREADY_RUNNING", place, "name" -> quoteIfNeeded(name))
    }
    launch(continuable(place), place)
  }

  /** Resolves the query, and checks that Spark continues its checkpoint with its trigger. */
  private def continuable(place: Origin): ResolvedQuery = {
    val resolved = startable(place)
    if (definition.isRealTime && !storedState.servesRealTime) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.REAL_TIME_CHECKPOINT", place,
        "name" -> quoteIfNeeded(name), "checkpoint" -> redact(checkpoint))
    }
    resolved
  }

  /**
   * Resolves the query, and checks what only a statement that starts it checks: whoever sends it
   * waits while the broker is asked. A start after a failure leaves it to the micro-batch.
   */
  private def startable(place: Origin): ResolvedQuery = {
    val resolved = resolvedApart(place)
    if (definition.isRealTime) {
      requireUndamaged(place)
      own.as(new RealTimeSlots(definition, own.session, storedState).require(resolved.plan, place))
    }
    resolved
  }

  /** Checks that it can be resolved, and that no checkpoint meets a table. */
  def requireApart(place: Origin): Unit = resolvedApart(place): Unit

  /** Errors: EDDYLINE_STREAMING_QUERY.CHECKPOINT_OVERLAPS, and those of [[ResolvedQuery]]. */
  private def resolvedApart(place: Origin): ResolvedQuery = {
    val resolved = ResolvedQuery(definition, own, place)
    folders = own.as(resolved.folders)
    requireApart(folders, place)
    registered().filter(other => FileName.key(other.name) != FileName.key(name)).foreach { other =>
      requireApart(other.folders, place)
      other.requireApart(folders, place)
    }
    resolved
  }

  /**
   * Checks that its checkpoint lies apart from tables, whose files would be read or deleted with
   * its own. That also holds for a name in a table that begins with `_` or `.`: reads leave it out,
   * but INSERT OVERWRITE, TRUNCATE and DROP TABLE do not.
   */
  private def requireApart(tables: Seq[TableFolder], place: Origin): Unit =
    tables.find(table => CheckpointFolder.meets(checkpoint, table.path)).foreach { table =>
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHECKPOINT_OVERLAPS", place,
        "checkpoint" -> s"${redact(checkpoint)} of the streaming query ${quoteIfNeeded(name)}",
        "other" -> redact(s"${table.path}, the folder of ${table.table}"))
    }

  /** Starts the query after a failure, if its table is still the one into which it wrote. */
  protected def startAgain(place: Origin): Unit = synchronized {
    val resolved = ResolvedQuery(definition, own, place)
    run.foreach(run => resolved.insert.requireTableOf(run.insert))
    launch(resolved, place)
  }

  /** Stops the query and starts it again; does not stop it if it could not start. */
  def restart(place: Origin): Unit = synchronized {
    restarting = true
    try {
      val checked = continuable(place)
      val resolved =
        if (status == QueryStatus.Running) {
          halt()
          // resolved again: the query may read tables that the last micro-batch has written
          ResolvedQuery(definition, own, place)
        } else checked
      launch(resolved, place)
    } finally restarting = false
  }

  private def launch(resolved: ResolvedQuery, place: Origin): Unit = {
    requireUndamaged(place)
    own.requireMayWrite()
    folder.open(own.requireMayWrite())
    folder.deleteUnfinishedLogs()
    if (folder.hasUncommittedFirstBatch) beginAgain(resolved)
    val query =
      try
        folder.deletedIfEmpty {
          own.as(SessionInternals.outsideExecution(own.session)(
              resolved.writer(folder.location).start()))
        }
      catch {
        case e: IllegalStateException => // StreamingQueryManager has programs' queries too
          throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE",
            Map("checkpoint" -> redact(checkpoint), "other" -> "a query that a program started"),
            place, Some(e))
      }
    earlierError = lastError
    run = Some(Run(query, resolved.insert, Instant.now()))
  }

  /**
   * Forgets the state of a first micro-batch that did not come to its end. If that was one of
   * real-time mode, the new state has its format, so that the query may return to it.
   */
  private def beginAgain(resolved: ResolvedQuery): Unit = {
    val mayHaveAnswered = resolved.plan.exists(TopicTable.isStream)
    val wasRealTime = mayHaveAnswered && UncommittedOutput.awaitFirstMicroBatch(session, checkpoint)
    val format = if (wasRealTime) RealTimeShim.FORMAT else Map.empty
    folder.deleteState()
    format.foreach { case (key, value) => if (!conf.contains(key)) session.conf.set(key, value) }
  }

  /**
   * Runs the query, which has stopped, over what its topics hold, if that commits rows which it has
   * written in real-time mode. Errors: ANSWERS_NOT_COMMITTED.
   */
  def commitAnswers(place: Origin): Unit = synchronized(if (hasAnswered) {
    val before = run
    try {
      launch(ResolvedQuery(definition, own, place).overAvailable, place)
      run.foreach(_.query.awaitTermination())
    } catch {
      case NonFatal(e) =>
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.ANSWERS_NOT_COMMITTED",
          Map("name" -> quoteIfNeeded(name), "reason" -> redact(EddylineErrors.rootMessage(e))),
          place, Some(e))
    } finally {
      run.foreach(_.query.stop())
      run = before
    }
  })

  /** Whether it may have written rows in real-time mode that are not committed when it stops. */
  def mayAnswer: Boolean = definition.isRealTime || hasAnswered

  private def hasAnswered: Boolean =
    UncommittedOutput.isRecorded(session, checkpoint) || folder.hasUncommittedFirstBatch

  /** Stops the query after its running micro-batch has ended, or after the timeout in the conf. */
  def stop(place: Origin): Unit = halt()

  /** Stops the query because the application ends, or another one runs it. */
  def end(): Unit = halt()

  /**
   * Waits for the end of the micro-batch that runs, or until it holds before its write. One of
   * real-time mode is not awaited: it lasts long, and the next run repeats it.
   */
  private def awaitMicroBatch(run: Run): Unit = {
    val patience = conf.getConf(EddylineConf.STOP_TIMEOUT)
    val deadline = System.nanoTime() + Duration.ofMillis(patience).toNanos
    while (run.query.isActive && run.query.status.isTriggerActive && !run.insert.isPaused &&
      System.nanoTime() - deadline < 0) {
      Thread.sleep(ManagedStreamingQuery.POLL_MS)
    }
  }

  /** Does what `stop` does, whoever is asking. */
  def halt(): Unit = synchronized {
    run.filter(_.query.isActive).foreach { run =>
      run.close()
      try if (!definition.isRealTime) awaitMicroBatch(run)
      finally run.query.stop()
    }
  }

  /**
   * Ends the query at once, also during a statement about it: its running micro-batch is
   * interrupted, and its next run repeats that.
   */
  def interrupt(): Unit = run.foreach { run =>
    run.close()
    run.query.stop()
  }

  /** Stops the query and removes what lasts longer than it. */
  def drop(place: Origin): Unit = synchronized {
    halt()
    release()
    isStored = false
  }

  /** Frees what Spark keeps for the session of the query, which does not start again. */
  def release(): Unit = StreamListeners.remove(session)

  /** Stops the query and deletes its checkpoint, if there is one. */
  def purge(place: Origin): Unit = synchronized {
    halt()
    folder.delete()
  }

  /** Checks that a query can continue from the checkpoint, as far as its files show. */
  def requireUndamaged(place: Origin): Unit = folder.requireUndamaged(redact, place)

  def requireDeletable(place: Origin): Unit = folder.whyNotDeletable.foreach { reason =>
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED", place,
      "name" -> name, "checkpoint" -> redact(checkpoint), "reason" -> redact(reason))
  }

  /**
   * Waits until the query has ended, for at most `timeout`; a RESTART does not count as an end.
   * Returns the error if a run has failed, also if the query has been started again since.
   */
  def await(timeout: Option[Duration]): Option[String] = {
    val deadline = timeout.map(System.nanoTime + _.toNanos)
    @tailrec def awaitEnd(current: Option[Run]): Option[String] = {
      val left = deadline.map(at => NANOSECONDS.toMillis(at - System.nanoTime))
      current.filter(_ => left.forall(_ > 0)).foreach(run => awaitRun(run.query, left))
      val failed = current.flatMap(_.error)
      if (failed.isDefined || left.exists(_ <= 0)) failed
      else if (restarting) {
        Thread.sleep(ManagedStreamingQuery.POLL_MS)
        awaitEnd(run)
      } else if (run != current) awaitEnd(run)
      else None
    }
    awaitEnd(run)
  }

  private def awaitRun(query: StreamingQuery, millis: Option[Long]): Unit =
    try millis.fold(query.awaitTermination())(query.awaitTermination(_): Unit)
    catch {
      case e: Exception if query.exception.contains(e) => // the status reports it
    }
}

private object ManagedStreamingQuery {
  private val POLL_MS = 10L
}

/** The progress of micro-batches that have run. */
private[spark] object MicroBatchProgress {

  /**
   * Returns the progress of the recent micro-batches that Spark keeps, oldest first.
   *
   * Every `spark.sql.streaming.noDataProgressEventInterval` Spark also keeps one of a trigger that
   * found no data. It repeats the metrics of the micro-batch before it, so it is left out.
   */
  def of(query: StreamingQuery): Seq[StreamingQueryProgress] =
    query.recentProgress.toSeq.filter(_.durationMs.containsKey("addBatch"))
}
