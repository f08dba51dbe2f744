package io.eddyline.spark.globaltable.refresh

import java.io.FileNotFoundException

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.version.{Snapshots, SourceFile, StagedFiles, Version}

/**
 * Follows a source that keeps no versions: probes it, and copies into a snapshot what
 * [[RefreshDecision]] decides. Another probe then checks that the files still exist. If files are
 * removed before they are read, each file is copied to a staging folder as soon as a probe finds
 * it, and probes follow each other closely.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED, and those of [[SnapshotWriter]].
 */
private[refresh] class SourceWatch(id: TableId, snapshots: Snapshots, clock: Clock = Clock) {
  import SourceWatch._

  @volatile private var history = ProbeHistory()

  /** Whether the last probe was inconclusive and another one soon after it may decide. */
  def isWaiting: Boolean = history.open.isDefined

  /** Returns the version that the source holds now, which is `last` if nothing has changed. */
  def advance(
      source: ProbedSource,
      last: Option[Version],
      request: RefreshRequest,
      write: Write): RefreshResult = {
    if (request == RefreshRequest.User) history = history.copy(open = None)
    val attempt = new Attempt(source, last, request, write)
    try attempt.run()
    catch {
      case e: Throwable =>
        history = history.copy(open = None)
        throw e
    } finally attempt.removeStagedFiles()
  }

  private class Attempt(
      source: ProbedSource, last: Option[Version], request: RefreshRequest, write: Write) {
    private val isAtOnce = request == RefreshRequest.User || last.isEmpty
    private val begun = clock.now
    private var started = begun
    private var lastFound = begun
    private var failedCopies = 0
    private var staged: Option[StagedFiles] = None

    def removeStagedFiles(): Unit = staged.foreach(_.remove())

    @tailrec final def run(): RefreshResult = decide() match {
      case Decision.Keep(probe) => RefreshResult.Confirmed(last.get, probe.since)
      case Decision.Wait(None) => RefreshResult.Undecided
      case Decision.GiveUp => giveUp()
      case Decision.Wait(Some(pause)) =>
        clock.sleep(pause)
        run()
      case Decision.Copy(probe) => copyRows(probe) match {
          case Some(version) =>
            history = history.at(probe)
            RefreshResult.Confirmed(version, probe.since)
          case None =>
            retryWithStagedFiles()
            run()
        }
    }

    private def decide(): Decision = {
      val found =
        try Some(probe())
        catch {
          // an overwrite removes the folder first
          case _: FileNotFoundException if clock.now - lastFound <= RefreshDecision.SIGN_MS => None
        }
      found.fold[Decision](Decision.Wait(Some(RefreshDecision.POLL_MS))) { probe =>
        stageFiles(probe)
        val (decision, next) = this.decision.of(probe)
        history = next
        decision
      }
    }

    /**
     * Probes the source. If it has changed, repeats the probe until two in a row agree or
     * `SETTLE_MS` have passed. A listing is not taken at one moment: it may lack a file that was
     * removed since it began, and also one that came before that.
     */
    private def probe(): Probe = {
      def list(): Probe = {
        val found = source.probe()
        lastFound = clock.now
        found
      }
      @tailrec def settled(found: Probe, end: Long): Probe = {
        val next = list()
        if (next.files == found.files || clock.now > end) next else settled(next, end)
      }
      val found = list()
      if (history.taken.exists(_.files == found.files)) found
      else settled(found, end = clock.now + SETTLE_MS)
    }

    private def decision: RefreshDecision = RefreshDecision(source, last, history, isAtOnce, waited,
      staged.fold(Map.empty[SourceFile, Long])(_.probes))

    /** For how long this attempt has waited for a moment between two writes, in ms. */
    private def waited: Long = clock.now - started

    /** Stages new files. The first copies may take long, so the time limit starts after them. */
    private def stageFiles(probe: Probe): Unit = if (history.isRestless && source.canMove) {
      val files = staged.getOrElse(snapshots.stage())
      val isFirst = files.isEmpty
      staged = Some(files)
      files.add(probe.files.files, probe.started)
      if (isFirst && !files.isEmpty) started = clock.now
    }

    /** Makes a version of a probe's files; None: some were removed before they were read. */
    private def copyRows(probe: Probe): Option[Version] = {
      val fingerprint = source.fingerprint(probe)
      fingerprint.filterNot(_ => isAtOnce).flatMap(snapshots.newest(_)).orElse {
        stageFiles(probe)
        if (staged.isDefined && !isThereLater(probe)) None else publish(probe)
      }
    }

    private def publish(probe: Probe): Option[Version] = {
      var isThereStill = true
      try {
        val made = snapshots.publish { draft =>
          val version = write(probe, staged, draft).copy(
            successMarkers = probe.files.successMarkers)
          isThereStill = staged.isDefined || isThereLater(probe)
          Option.when(isThereStill && !last.exists(_.hasRowsOf(version)))(version)
        }
        history = history.copy(isRestless = staged.isDefined && !isThere(probe))
        if (isThereStill) made.orElse(last) else None
      } catch {
        case NonFatal(_) if staged.isEmpty && !isThere(probe) => None // files were removed
      }
    }

    private def retryWithStagedFiles(): Unit = {
      failedCopies += 1
      val canGoOn = isAtOnce && clock.now - begun <= RefreshDecision.OVERWRITE_MS
      if (failedCopies > COPIES && !canGoOn) giveUp()
      started = clock.now
      history = history.copy(isRestless = true)
    }

    private def giveUp(): Nothing = throw EddylineErrors.analysis(
      NOT_COMMITTED, Map("table" -> id.shortName))

    /** As [[isThere]], after the time in which a removal that is under way removes a file more. */
    private def isThereLater(probe: Probe): Boolean = {
      clock.sleep((probe.started + RefreshDecision.POLL_MS - clock.now).max(0))
      isThere(probe)
    }

    private def isThere(probe: Probe): Boolean =
      try decision.isUnchanged(probe, source.probe())
      catch { case _: FileNotFoundException => false }
  }
}

private[refresh] object SourceWatch {

  /** Writes rows into a draft, from copies of the files if they were staged. */
  type Write = (Probe, Option[StagedFiles], Path) => Version

  val NOT_COMMITTED = "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED"

  /** Time in ms for which a source that changes during each probe is probed again. */
  private val SETTLE_MS = 3000L

  /** Number of copies after which a source that loses files meanwhile may be given up. */
  private val COPIES = 10
}
