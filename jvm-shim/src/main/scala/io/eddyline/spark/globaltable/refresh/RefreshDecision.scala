package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import io.eddyline.spark.globaltable.version.{CommittedFiles, FileListing, SourceFile, Version}
import io.eddyline.spark.globaltable.version.CommittedFiles.Trust

/** What a refresh does after a probe of its source. */
private[refresh] sealed trait Decision

private[refresh] object Decision {

  /** The source is still at the last version, as the probe shows. */
  case class Keep(probe: Probe) extends Decision

  /** The source has changed; a version of the probe's files is made. */
  case class Copy(probe: Probe) extends Decision

  /** Another probe decides: after a pause in ms, or in the table's next turn. */
  case class Wait(pause: Option[Long]) extends Decision

  /** A job has been overwriting the source for longer than a refresh waits. */
  case object GiveUp extends Decision
}

/**
 * What is known of a source from its earlier probes.
 *
 * @param taken the probe that found the last version
 * @param open the first probe since then whose files another one may find complete
 * @param missingSince since when files are missing or go without a sign of a job that overwrites
 *                     them, in ms since the epoch; None: none are
 * @param emptied the first probe in which folders had lost all files of the last version and were
 *                empty; None if no folder has lost them
 * @param isRestless whether files may be removed at any time, so that copies of them are read
 */
private[refresh] case class ProbeHistory(
    taken: Option[Probe] = None,
    open: Option[Probe] = None,
    missingSince: Option[Long] = None,
    emptied: Option[Probe] = None,
    isRestless: Boolean = false) {

  /** The history once the last version has the files of a probe. */
  def at(probe: Probe, open: Option[Probe] = None): ProbeHistory =
    copy(taken = Some(probe), open = open, missingSince = None, emptied = None)
}

/**
 * Decides what a refresh does after a probe. It reads and writes nothing, so that equal arguments
 * give equal decisions.
 *
 * Jobs may write to the source meanwhile. A state is a list of files that [[CommittedFiles]] takes
 * for complete, judged by one probe or by two.
 *
 * @param last the version in use; None before the first load
 * @param isAtOnce whether the refresh cannot wait for the table's next turn
 * @param waited for how long the refresh has waited for a moment between two writes, in ms
 * @param copies the files that were copied already, each with the start of the probe that found it
 */
private[refresh] case class RefreshDecision(
    source: ProbedSource,
    last: Option[Version],
    history: ProbeHistory,
    isAtOnce: Boolean,
    waited: Long,
    copies: Map[SourceFile, Long] = Map.empty) {
  import Decision._
  import RefreshDecision._

  /** The files of the version in use; None if this driver does not know them. */
  private val before: Option[FileListing] =
    if (last.isEmpty) Some(FileListing(Map.empty)) else history.taken.map(_.files)

  /** Returns the decision, and the history after it. */
  def of(now: Probe): (Decision, ProbeHistory) = {
    val since = history.emptied.filterNot(_.files.isEmptiedIn(now.files)).getOrElse(now)
    copy(history = history.copy(emptied = Option.when(isEmptied(now))(since))).decide(now)
  }

  private def decide(now: Probe): (Decision, ProbeHistory) = {
    val alone = judge(now, now)
    val earlier = history.open.filter(now.started - _.started >= LATER_MS)
    val both = earlier.map(first => first -> judge(first, now))
    if (alone.areState && alone.files == now.files.files) {
      if ((!isAtOnce || source.readsVersions) && isLast(now)) keep(now) else take(now)
    } else if (isAtOnce) {
      if (waited > limit(now, alone)) {
        take(both.collectFirst {
          case (first, found) if found.areState =>
            first.restrictedTo(found.files)
        }.getOrElse(now))
      } else {
        Wait(Some(POLL_MS)) -> history.copy(open = history.open.orElse(Some(now)))
      }
    } else {
      val confirmed = both.collect {
        case (first, found) if isTaken(first, found) =>
          first.restrictedTo(found.files)
      }
      confirmed match {
        case Some(first) => if (isLast(first)) keep(first, open = Some(now)) else take(first)
        case None => waitOrKeep(now, alone, earlier, both.forall(_._2.areState))
      }
    }
  }

  /** Whether all files of a probe still exist, and none of their jobs has written more. */
  def isUnchanged(probe: Probe, now: Probe): Boolean = {
    val found = judge(probe, now, isDecided = true)
    found.areState && found.files == probe.files.files &&
    (!source.readsFolders || now.files == probe.files)
  }

  private def waitOrKeep(
      now: Probe,
      alone: CommittedFiles,
      earlier: Option[Probe],
      wasState: Boolean): (Decision, ProbeHistory) = {
    val open = if (earlier.isDefined) Some(now) else history.open.orElse(Some(now))
    val complete = now.restrictedTo(alone.files)
    if (judge(now, now, isDecided = true).files == alone.files && isLast(complete)) {
      keep(complete, open)
    } else if (alone.areWritten) {
      (if (waited > PATIENCE_MS) GiveUp else Wait(Some(POLL_MS))) -> history.copy(
        open = open, missingSince = None)
    } else {
      val missing =
        if (alone.areState && wasState) history.missingSince
        else history.missingSince.orElse(Some(now.started))
      val next = history.copy(open = open, missingSince = missing)
      val isRestless =
        next.isRestless || earlier.isDefined && copy(history = next).isPatient(now, now)
      Wait(Option.when(isRestless && source.canMove && waited <= PATIENCE_MS)(LATER_MS)) ->
        next.copy(isRestless = isRestless)
    }
  }

  private def keep(probe: Probe, open: Option[Probe] = None): (Decision, ProbeHistory) =
    Keep(probe) -> history.at(probe, open)

  private def take(probe: Probe): (Decision, ProbeHistory) = Copy(probe) -> history

  private def isLast(probe: Probe): Boolean =
    last.exists(version => source.fingerprint(probe).contains(version.fingerprint))

  /** Whether the files can be taken; all must be complete if Spark reads whole folders. */
  private def isTaken(probe: Probe, found: CommittedFiles): Boolean =
    found.areState && (!source.readsFolders || found.files == probe.files.files)

  /**
   * Judges which files of the first probe are complete.
   *
   * @param isDecided whether earlier probes have found all of them complete
   */
  private def judge(first: Probe, second: Probe, isDecided: Boolean = false): CommittedFiles = {
    // while removals go on; the first probe shows that older copies are complete
    val copied =
      if (isDecided) Some(first.started)
      else Option.when(isPatient(second, second))(first.started - LATER_MS)
    CommittedFiles.of(first.files, second.files, before, last.fold(0)(_.successMarkers),
      Trust(
        emptied = history.emptied.map(_.files),
        later = isDecided || isAtOnce || second.started - first.started >= LATER_MS,
        patient = isDecided || isPatient(first, second) || isAtOnce && !isEmptied(first),
        always = isAtOnce && waited > OVERWRITE_MS,
        kept = file => copied.exists(time => copies.get(file).exists(_ <= time))))
  }

  /** For how long a refresh that cannot wait for the next turn waits all the same, in ms. */
  private def limit(now: Probe, found: CommittedFiles): Long =
    if (found.areWritten) OVERWRITE_MS else if (isEmptied(now)) SIGN_MS else PATIENCE_MS

  /** Whether a folder has lost all its files, as if an overwrite had just removed them. */
  private def isEmptied(now: Probe): Boolean = before.exists(_.isEmptiedIn(now.files))

  /**
   * Whether the files that a probe misses have been missing for longer than an overwrite needs to
   * show a sign. A folder that was filled again has not: it was overwritten.
   */
  private def isPatient(probe: Probe, now: Probe): Boolean = {
    val since = if (isEmptied(probe)) history.emptied.map(_.started) else history.missingSince
    since.exists(now.started - _ >= patience(probe).toMillis)
  }

  /** The time for which missing files may mean an overwrite that shows no other sign yet. */
  private def patience(probe: Probe): Duration = {
    val usual = source.options.refresh.fold(MOST)(_.dividedBy(2))
    val least = if (isEmptied(probe)) Seq(usual, Duration.ofMillis(SIGN_MS)).max else usual
    (Seq(least, MOST) ++ source.options.maxStaleness).min
  }
}

private[refresh] object RefreshDecision {

  /** Time in ms between two probes that wait for a job. */
  val POLL_MS = 20L

  /** Time in ms in which a job that has removed a folder writes its first temporary file. */
  val SIGN_MS = 3000L

  /** Time in ms for which CREATE and REFRESH wait for the end of an overwrite. */
  val OVERWRITE_MS = 10000L

  /** Time in ms for which a refresh waits for a moment between two writes. */
  private val PATIENCE_MS = 1000L

  /** Time in ms after which a file that is being written has another length or time. */
  private val LATER_MS = 100L

  /** The longest time for which missing files may mean an overwrite. */
  private val MOST = Duration.ofSeconds(10)
}
