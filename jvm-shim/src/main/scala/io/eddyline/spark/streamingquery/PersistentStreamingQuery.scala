package io.eddyline.spark.streamingquery

import java.util.concurrent.TimeUnit.SECONDS

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.base.{EddylineErrors, RecoverableError, Redaction}
import io.eddyline.spark.streamingquery.store.StoredQuery

/**
 * A streaming query whose definition is stored, so that another application can continue it. The
 * file says whether it is to run: START, STOP and RESTART change that too.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.NOT_OWNER, LEASE_LOST, and those of [[ManagedStreamingQuery]].
 *
 * @param term the term of this application in which the definition was read
 * @param autoRestart whether it is started again after a failure
 */
private[streamingquery] class PersistentStreamingQuery(
    definition: StreamingQueryDefinition,
    own: QuerySession,
    first: StoredQuery,
    location: LeasedLocation,
    term: Option[Long],
    restarts: Backoff,
    @volatile var autoRestart: Boolean,
    registered: () => Seq[ManagedStreamingQuery])
  extends ManagedStreamingQuery(
    definition, first.checkpoint, first.generation, own, registered) with Logging {

  @volatile private var saved = first
  @volatile private var startError: Option[Throwable] = None

  /** The run whose success has already reset the backoff. */
  @volatile private var succeededIn: Option[String] = None

  /** Whether `deleteEarlier` has something to do, which may take minutes in an object store. */
  @volatile var isCleanUpDue = false

  override def isPersistent: Boolean = true

  /** The statement as typed, whose secrets CREATE has refused as far as it knew them. */
  override def sql: String = Redaction.statement(session.sessionState.conf, saved.statement)

  /** Whether another application may have changed its definition since it was read. */
  def isLost: Boolean = term.isEmpty || term != location.term

  /** Whether the query is to run, now and after the application has started again. */
  def desiredRunning: Boolean = saved.running

  override def status: QueryStatus = if (startError.isDefined) QueryStatus.Failed else super.status

  override def lastError: Option[String] =
    startError.map(error => redact(EddylineErrors.rootMessage(error))).orElse(super.lastError)

  override def start(place: Origin): Unit = changeState(place, running = true)(super.start(place))

  override def restart(place: Origin): Unit =
    changeState(place, running = true)(super.restart(place))

  override def stop(place: Origin): Unit = changeState(place, running = false)(super.stop(place))

  /** Goes on if its definition cannot be removed; else it is gone, whatever error there is. */
  override def drop(place: Origin): Unit = synchronized {
    requireMine(place)
    try folder.deleteLaterGenerations(requireMine(place))
    catch { case NonFatal(e) => logWarning(s"A failed CREATE may have left files of $name", e) }
    requireMine(place)
    isStored = false
    try location.store.remove(name)
    catch {
      case e: Throwable =>
        isStored = true
        throw e
    }
    autoRestart = false
    try halt()
    finally release()
  }

  /**
   * First stores that it is purged, and no longer if that fails: the next server finishes what this
   * one has begun. It never starts the query, which would begin again, without its state.
   */
  override def purge(place: Origin): Unit = synchronized {
    changeState(place, running = false, purging = true)(super.stop(place))
    orStore(running = false, purging = false) {
      requireMine(place)
      super.purge(place)
    }
  }

  override def end(): Unit = synchronized {
    autoRestart = false
    try recordProgress()
    catch { case NonFatal(e) => logWarning(s"Whether $name has finished is not stored", e) }
    super.end()
  }

  /** Ends the query at once, since another application may run it now. */
  def onLeaseLost(): Unit = {
    if (status == QueryStatus.Running) startError = Some(location.leaseLostError(name))
    interrupt()
  }

  /** Lets it be started again at once, after a stop that was not a failure of its own. */
  def resetBackoff(): Unit = restarts.reset()

  /** Writes the definition, for CREATE. */
  def save(): Unit = {
    write(saved)
    isStored = true
  }

  /** Gives the store the content again that it had before CREATE. */
  def putBack(before: Option[Array[Byte]]): Unit = {
    requireMine(definition.place)
    val now = location.store.content(name)
    if (now.map(_.toSeq) != before.map(_.toSeq)) {
      before.fold(location.store.remove(name))(location.store.restore(name, _))
    }
  }

  /** Makes the generation of the checkpoint in which the query begins, for CREATE. */
  def makeGeneration(): Unit = {
    requireMine(definition.place)
    folder.make(requireMine(definition.place))
  }

  /** Undoes `makeGeneration`. */
  def discardGeneration(): Unit = {
    requireMine(definition.place)
    folder.discard(requireMine(definition.place))
  }

  private def requireMine(place: Origin): Unit = location.requireTerm(term, name, place)

  private def changeState(place: Origin, running: Boolean, purging: Boolean = false)(
      action: => Unit): Unit = synchronized {
    requireMine(place)
    orStore(saved.running, saved.purging) {
      storeDesiredState(running, purging)
      action
    }
    startError = None
    autoRestart = running
    restarts.succeeded()
  }

  /** Does something; if that fails, stores that the query is to be in this state. */
  private def orStore(running: Boolean, purging: Boolean)(action: => Unit): Unit =
    try action
    catch {
      case e: Throwable =>
        try storeDesiredState(running, purging)
        catch { case NonFatal(another) => e.addSuppressed(another) }
        throw e
    }

  private def storeDesiredState(running: Boolean, purging: Boolean): Unit = {
    val next = saved.copy(running = running, purging = purging)
    if (next != saved) write(next)
  }

  private def write(next: StoredQuery): Unit = {
    requireMine(definition.place)
    location.store.write(next)(requireMine(definition.place))
    saved = next
    requireMine(definition.place) // after a pause another application may have read the old one
  }

  /** Whether it is to run and does not, and has not failed too often. */
  def isDue: Boolean = super.status match {
    case QueryStatus.Running | QueryStatus.Finished => false
    case _ => desiredRunning && autoRestart && restarts.isDue
  }

  /** Takes note of a run that has done a micro-batch, and of one that has read all there was. */
  def recordProgress(): Unit = synchronized {
    if (succeededIn != runId && progress.nonEmpty) {
      succeededIn = runId
      restarts.succeeded()
      isCleanUpDue = generation > 0
    }
    if (super.status == QueryStatus.Finished) storeDesiredState(running = false, saved.purging)
  }

  /** Deletes the generations of the checkpoint before its own; a failure waits for the next run. */
  def deleteEarlierGenerations(): Unit = if (isCleanUpDue) {
    isCleanUpDue = false
    requireMine(definition.place)
    folder.deleteEarlierGenerations()
  }

  /** Starts the query if that is due. */
  def startIfDue(): Unit = synchronized {
    if (isDue) {
      restarts.attempt()
      try {
        startAgain(definition.place)
        startError = None
      } catch {
        case RecoverableError(e) =>
          startError = Some(e)
          val reason = redact(EddylineErrors.rootMessage(e))
          logWarning(s"The streaming query $name did not start: $reason")
      }
    }
  }
}

/**
 * Decides when a query is started, and after failures again: 1, 2, 4, … seconds, at most 60, after
 * its last start, and so at once if it has run for longer.
 *
 * @param limit how often it is started again before it has succeeded
 * @param now the time in nanoseconds
 */
private[streamingquery] class Backoff(limit: Int, now: () => Long = () => System.nanoTime) {
  @volatile private var starts = 0
  @volatile private var next = now()

  def isDue: Boolean = starts <= limit && now() - next >= 0

  /** Records a start, which counts as a failure until `succeeded`. */
  def attempt(): Unit = {
    val pause = math.min(1L << math.min(starts, Backoff.DOUBLINGS), Backoff.MAX_SECONDS)
    starts += 1
    next = now() + SECONDS.toNanos(pause)
  }

  /** Resets the backoff, after a stop that was not a failure of the query. */
  def reset(): Unit = {
    starts = 0
    next = now()
  }

  /** The query runs: of its starts only the last one counts. */
  def succeeded(): Unit = starts = 1
}

private object Backoff {
  private val MAX_SECONDS = 60L
  private val DOUBLINGS = 6
}
