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

  /** Since when no listing could be read, in ms since the epoch; None: the last one could. */
  @volatile private var writtenSince = Option.empty[Long]

  /** Returns the version that the source holds now, which is `last` if nothing has changed. */
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

    /** Whether there must be a version in the end, if there are files. */
    private val takesAny = isByUser || last.isEmpty
    private val isBackground = request == RefreshRequest.Background && !takesAny
    private val begun = clock.now
    private var reads = 0
    private var missingFolder = Option.empty[FileNotFoundException]

    @tailrec final def run(): RefreshResult = {
      // once at least after the time is over
      val isLate = clock.now - begun > (if (takesAny) TAKE_MS else QUERY_MS)
      probe() match {
        case Some(probe) if isLast(probe) =>
          confirmed(probe, last.get, history.confirm(probe.files))
        case found =>
          val state = found.fold[FileState](FileState.Written)(judge)
          val version = found.filter(_ => state == FileState.Readable || takesAny && isLate)
            .flatMap(probe =>
              read(probe, isLate).map(confirmed(probe, _, FileHistory(Some(probe.files)))))
          version match {
            case Some(result) => result
            case None if isBackground && (state != FileState.Readable || reads > 1) =>
              undecided(state)
            case None if !isBackground && isLate => throw error
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

    private def isLast(probe: Probe): Boolean = (!isByUser || source.readsVersions) &&
      last.exists(version => source.fingerprint(probe).contains(version.fingerprint))

    private def confirmed(probe: Probe, version: Version, next: FileHistory): RefreshResult = {
      history = next
      writtenSince = None
      RefreshResult.Confirmed(version, probe.since)
    }

    private def judge(probe: Probe): FileState = {
      val (state, next) = history.next(
        probe.files,
        probe.started,
        last.fold(0)(_.successMarkers),
        wait =
          if (isBackground) source.options.refresh.fold(0L)(_.toMillis / 2).min(TAKE_MS) else 0,
        trustsMarkers = isByUser)
      history = next
      state
    }

    /** Makes a version of the files that a probe has found; None: they have changed meanwhile. */
    private def read(probe: Probe, isLate: Boolean): Option[Version] = {
      reads += 1
      source.fingerprint(probe).filterNot(_ => takesAny).flatMap(snapshots.newest(_)).orElse {
        var isComplete = true
        try {
          val made = snapshots.publish { draft =>
            val version = write(probe, draft).copy(successMarkers = probe.files.successMarkers)
            isComplete = isUnchanged(probe, isLate)
            Option.when(isComplete && !last.exists(_.hasRowsOf(version)))(version)
          }
          if (isComplete) made.orElse(last) else None
        } catch {
          case NonFatal(_) if !isUnchanged(probe, isLate) => None // files were removed
        }
      }
    }

    /** Lists again, after a time in which a file that is written gets another length or time. */
    private def isUnchanged(probe: Probe, isLate: Boolean): Boolean = {
      clock.sleep((probe.started + POLL_MS - clock.now).max(0))
      try {
        val now = source.relist(probe)
        if (takesAny && isLate) probe.files.files.subsetOf(now.files.files)
        else if (source.readsFolders && probe.files.files != now.files.files) false
        else probe.places == now.places && history.isConfirmed(probe.files, now.files)
      } catch { case _: FileNotFoundException => false }
    }

    /** Leaves the decision to another turn, or says after a while that there is none. */
    private def undecided(state: FileState): RefreshResult = {
      if (state != FileState.Missing) {
        writtenSince = writtenSince.orElse(Some(begun))
        val patience = source.options.refresh.fold(0L)(_.toMillis * 3).max(QUERY_MS).min(TAKE_MS)
        if (writtenSince.exists(clock.now - _ > patience)) throw error
      }
      RefreshResult.Undecided
    }

    private def error: Throwable = missingFolder.getOrElse(
      EddylineErrors.analysis(TableState.NOT_COMMITTED, Map("table" -> id.shortName)))
  }
}

private[refresh] object FileRefresh {

  /** Time in ms between two listings, at least. */
  private val POLL_MS = 100L

  /** Time in ms for which a query waits for the end of a write. */
  private val QUERY_MS = 1000L

  /** The longest time in ms for which a refresh waits for anything. */
  private val TAKE_MS = 10000L
}
