package io.eddyline.spark.globaltable.refresh

import java.io.FileNotFoundException

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.version.{Snapshots, Version}

/**
 * Makes the versions of a source that keeps none: lists the source, reads exactly the files that it
 * has found, lists them again, and publishes what it has read if nothing has changed meanwhile.
 * [[FileHistory]] says when a listing may be read.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED, FileNotFoundException if a folder is missing, and
 * those of [[SnapshotWriter]].
 */
private[refresh] class FileRefresh(id: TableId, snapshots: Snapshots, clock: Clock = Clock) {
  import FileRefresh._

  @volatile private var history = FileHistory()

  /**
   * Since when no listing could be read, and when the last turn began that found so, in ms since
   * the epoch; None: the last listing could be read.
   */
  @volatile private var changing = Option.empty[(Long, Long)]

  /** Finds the version that the source holds now, which is `last` if nothing has changed. */
  def advance(
      source: ProbedSource,
      last: Option[Version],
      request: RefreshRequest,
      write: (Probe, Path) => Version): RefreshResult =
    new Attempt(source, last, request, write).run()

  private class Attempt(
      source: ProbedSource,
      last: Option[Version],
      request: RefreshRequest,
      write: (Probe, Path) => Version) {
    private val isByUser = request == RefreshRequest.User

    /** Whether the files are read in the end even if a job may still be writing them. */
    private val readsInTheEnd = isByUser || last.isEmpty

    /** Whether the decision may be left to another turn. */
    private val mayStayUndecided = request == RefreshRequest.Background && !readsInTheEnd
    private val begun = clock.now
    private var reads = 0
    private var missingFolder = Option.empty[FileNotFoundException]

    @tailrec final def run(): RefreshResult = {
      // an attempt that begins when the time is over is the last one
      val isLate = clock.now - begun > (if (readsInTheEnd) MAX_WAIT_MS else QUERY_WAIT_MS)
      probe() match {
        case Some(probe) if isLast(probe) =>
          confirmed(probe, last.get, history.confirm(probe.files))
        case found =>
          val state = found.fold[FileState](FileState.Written)(judge)
          val version = found.filter(_ => state == FileState.Readable || readsInTheEnd && isLate)
            .flatMap(probe =>
              read(probe, isLate).map(confirmed(probe, _, FileHistory(Some(probe.files)))))
          version match {
            case Some(result) => result
            case None if mayStayUndecided && (state != FileState.Readable || reads > 1) =>
              undecided(state)
            case None if !mayStayUndecided && isLate => throw error
            case None =>
              if (state != FileState.Readable) clock.sleep(POLL_MS)
              run()
          }
      }
    }

    private def probe(): Option[Probe] =
      try {
        val found = source.probe()
        missingFolder = None
        Some(found)
      } catch {
        case e: FileNotFoundException => // an overwrite of all files removes the folder first
          missingFolder = Some(e)
          None
      }

    /** Whether `last` still holds; for a user, files are read again even if they are the same. */
    private def isLast(probe: Probe): Boolean = (!isByUser || source.readsVersions) &&
      last.exists(version => source.fingerprint(probe).contains(version.fingerprint))

    private def confirmed(probe: Probe, version: Version, next: FileHistory): RefreshResult = {
      history = next
      changing = None
      RefreshResult.Confirmed(version, probe.since)
    }

    private def judge(probe: Probe): FileState = {
      val (state, next) = history.next(
        probe.files,
        probe.started,
        last.fold(0)(_.successMarkers),
        last.fold(0)(_.folders),
        wait =
          if (mayStayUndecided) source.options.refresh.fold(0L)(_.toMillis / 2).min(MAX_WAIT_MS)
          else 0,
        trustsMarkers = isByUser)
      history = next
      state
    }

    /** Returns a version of the files, old or new; None: they have changed since the probe. */
    private def read(probe: Probe, isLate: Boolean): Option[Version] = {
      reads += 1
      source.fingerprint(probe).filterNot(_ => readsInTheEnd).flatMap(snapshots.newest(_)).orElse {
        var isComplete = true
        try {
          val made = snapshots.publish { draft =>
            val version = write(probe, draft).copy(
              successMarkers = probe.files.successMarkers, folders = probe.files.parents)
            isComplete = isUnchanged(probe, isLate)
            Option.when(isComplete && !last.exists(_.hasRowsOf(version)))(version)
          }
          if (isComplete) made.orElse(last) else None
        } catch {
          case NonFatal(_) if !isUnchanged(probe, isLate) => None // files were removed
        }
      }
    }

    /** Lists again, late enough to see another length or time of a file that a job is writing. */
    private def isUnchanged(probe: Probe, isLate: Boolean): Boolean = {
      clock.sleep((probe.started + POLL_MS - clock.now).max(0))
      try {
        val now = source.relist(probe)
        if (readsInTheEnd && isLate) probe.files.files.subsetOf(now.files.files)
        else if (source.readsFolders && probe.files.files != now.files.files) false
        else
          probe.partitionLocations == now.partitionLocations &&
          history.isConfirmed(probe.files, now.files)
      } catch { case _: FileNotFoundException => false }
    }

    /** Leaves the decision to another turn; raises an error if the turns before did so for long. */
    private def undecided(state: FileState): RefreshResult = {
      if (state != FileState.Missing) {
        val patience =
          source.options.refresh.fold(0L)(_.toMillis * 3).max(QUERY_WAIT_MS).min(MAX_WAIT_MS)
        // of turns that are far apart, as those of a table that was idle, the last one counts
        val since = changing.collect { case (since, last) if begun - last <= patience => since }
          .getOrElse(begun)
        changing = Some(since -> begun)
        if (clock.now - since > patience) throw error
      }
      RefreshResult.Undecided
    }

    private def error: Throwable = missingFolder.getOrElse(
      EddylineErrors.analysis(TableState.NOT_COMMITTED, Map("table" -> id.shortName)))
  }
}

private[refresh] object FileRefresh {

  /** The shortest time in ms between two listings. */
  private val POLL_MS = 100L

  /** The longest time in ms for which a query waits for the end of a write. */
  private val QUERY_WAIT_MS = 1000L

  /** The longest time in ms for which a refresh waits for anything. */
  private val MAX_WAIT_MS = 10000L
}

/** Who requests a refresh, which decides how long it may wait for complete files. */
private[globaltable] sealed trait RefreshRequest

private[globaltable] object RefreshRequest {

  /** The refresher, for which another turn can decide. */
  case object Background extends RefreshRequest

  /** A query that cannot wait for the refresher. */
  case object Query extends RefreshRequest

  /** A CREATE or REFRESH statement, whose author says that the source is complete. */
  case object User extends RefreshRequest
}

/** What a refresh has found. */
private[globaltable] sealed trait RefreshResult

private[globaltable] object RefreshResult {

  /**
   * The version equals the state of the source.
   *
   * @param since when the probe that found this state began, or an earlier one that found the state
   *              of a global table below, in ms since the epoch; None: none has found that
   */
  case class Confirmed(version: Version, since: Option[Long]) extends RefreshResult

  /** Another probe has to decide. */
  case object Undecided extends RefreshResult
}
