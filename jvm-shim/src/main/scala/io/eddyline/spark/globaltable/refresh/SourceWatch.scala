package io.eddyline.spark.globaltable.refresh

import java.io.FileNotFoundException
import java.time.Duration

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.version.{CommittedFiles, FileListing, Snapshots, Version}
import io.eddyline.spark.globaltable.version.CommittedFiles.Trust

/**
 * A version that equals the state of a source.
 *
 * @param since when the probe that found this state began, in ms since the epoch
 */
private[globaltable] case class HeldVersion(version: Version, since: Long)

/**
 * Probes a source that keeps no versions, and copies the state that it finds into a snapshot.
 *
 * Jobs may write to the source meanwhile. A state is a list of files that [[CommittedFiles]] takes
 * for complete; its files are read one by one, and then another probe checks that they still exist.
 * If files are removed before they are read, each file is copied to a staging folder as soon as a
 * probe finds it, and probes follow each other closely.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED, and those of [[SnapshotWriter]].
 */
private[globaltable] class SourceWatch(id: TableId, snapshots: Snapshots, context: RefreshContext) {
  import SourceWatch._

  /** The probe that found the last version. */
  private var taken: Option[Look] = None
  private var open: Option[Look] = None
  private var unclear: Option[Long] = None
  private var isRestless = false
  private var writing = false

  /** Whether the last try to read only new files failed, so that the next one reads all. */
  private var hasFailedToGrow = false

  /** Whether the last probe was inconclusive and another one soon after it may decide. */
  def isWaiting: Boolean = open.isDefined

  /** Whether the last attempt failed because a job was overwriting the source. */
  def isWriting: Boolean = writing

  /**
   * Returns the version that the source holds now, which is `last` if nothing has changed; None if
   * another probe has to decide.
   */
  def advance(source: Source, last: Option[Version], demand: Demand): Option[HeldVersion] = {
    writing = false
    if (demand == Demand.User) open = None
    val attempt = new Attempt(source, last, demand)
    try attempt.run()
    catch {
      case e: Throwable =>
        open = None
        throw e
    } finally attempt.close()
  }

  private class Attempt(source: Source, last: Option[Version], demand: Demand) {
    private val byUser = demand == Demand.User || last.isEmpty
    private var started = System.currentTimeMillis
    private var moves = 0
    private var staged = Option.when(isRestless && source.canMove)(snapshots.stage())

    def close(): Unit = staged.foreach(_.remove())

    @tailrec final def run(): Option[HeldVersion] = step() match {
      case Held(version) => Some(version)
      case Take(look) => take(look) match {
          case None =>
            secure()
            run()
          case held => held
        }
      case Again(pause) =>
        Thread.sleep(pause)
        run()
      case Later => None
    }

    private def step(): Step = {
      val found =
        try Some(source.look())
        catch {
          case _: FileNotFoundException if !isOver => None // an overwrite removes the folder first
        }
      found.fold[Step](Again(POLL_MS)) { look =>
        keep(look)
        decide(look)
      }
    }

    /** Stages new files. The first copies may take long, so the time limit starts after them. */
    private def keep(look: Look): Unit = staged.foreach { files =>
      val isFirst = files.isEmpty
      files.add(look.files.files, look.started)
      if (isFirst && !files.isEmpty) started = System.currentTimeMillis
    }

    private def secure(): Unit = {
      moves += 1
      if (moves > MOVES) fail()
      started = System.currentTimeMillis
      stage()
    }

    /** Reads staged copies from now on, if possible, because files may be removed at any time. */
    private def stage(): Unit = {
      isRestless = true
      if (staged.isEmpty && source.canMove) staged = Some(snapshots.stage())
    }

    private def fail(): Nothing = {
      writing = true
      throw EddylineErrors.analysis(
        "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED", Map("table" -> id.shortName))
    }

    /** Whether the wait for a moment between two writes has reached its limit, [[PATIENCE_MS]]. */
    private def isOver: Boolean = System.currentTimeMillis - started > PATIENCE_MS

    private def decide(now: Look): Step = {
      val one = judge(now, now)
      val before = open.filter(now.started - _.started >= LATER_MS)
      val two = before.map(first => first -> judge(first, now))
      if (one.areState && one.files == now.files.files) {
        if ((!byUser || source.readsVersions) && isLast(now, one)) hold(now, next = None)
        else Take(now)
      } else if (byUser) {
        decideAtOnce(now, two)
      } else two match {
        case Some((first, found)) if isTaken(first, found) =>
          if (isLast(first, found)) hold(first.of(found), next = Some(now))
          else Take(first.of(found))
        case _ =>
          if (open.isEmpty || before.isDefined) open = Some(now)
          val isAll = judge(now, now, isDecided = true).files == one.files
          if (isAll && isLast(now, one)) hold(now.of(one), next = open)
          else {
            val areSteady = one.areState && two.forall { case (_, found) => found.areState }
            unclear = if (one.areWritten) None else unclearSince(areSteady, before, now)
            if (one.areWritten) if (isOver) fail() else Again(POLL_MS)
            else {
              if (two.isDefined && isPatient(now)) stage()
              if (staged.isDefined && !isOver) Again(LATER_MS) else Later
            }
          }
      }
    }

    /**
     * Since when files are missing or go without a sign of a job that overwrites them, in ms since
     * the epoch; None: none are. The time starts again when a folder becomes empty, because an
     * overwrite may begin so.
     */
    private def unclearSince(areSteady: Boolean, before: Option[Look], now: Look): Option[Long] =
      if (areSteady) unclear
      else unclear.filterNot(_ => before.exists(_.files.isEmptiedIn(now.files)))
        .orElse(Some(now.started))

    /** Waits for a moment between two writes; at the time limit takes complete files, or all. */
    private def decideAtOnce(now: Look, two: Option[(Look, CommittedFiles)]): Step =
      if (isOver) {
        Take(two.collectFirst { case (first, found) if found.areState => first.of(found) }
            .getOrElse(now))
      } else {
        if (open.isEmpty) open = Some(now)
        Again(POLL_MS)
      }

    /**
     * Decides that the source is still at the last version.
     *
     * @param next the probe whose files another one soon after it may find complete
     */
    private def hold(look: Look, next: Option[Look]): Step = {
      taken = Some(look)
      unclear = None
      open = next
      Held(HeldVersion(last.get, look.started))
    }

    private def isLast(look: Look, found: CommittedFiles): Boolean =
      last.exists(version => source.fingerprint(look.of(found)).contains(version.fingerprint))

    /** Whether the files can be taken; all must be complete if Spark reads whole folders. */
    private def isTaken(look: Look, found: CommittedFiles): Boolean =
      found.areState && (!source.readsFolders || found.files == look.files.files)

    /**
     * Judges which files of the first probe are complete.
     *
     * @param isDecided whether earlier probes have found all of them complete
     */
    private def judge(first: Look, second: Look, isDecided: Boolean = false): CommittedFiles = {
      val before = if (last.isEmpty) Some(FileListing(Map.empty)) else taken.map(_.files)
      // while removals go on; the first probe shows that older copies are complete
      val copied =
        if (isDecided) Some(first.started)
        else Option.when(isPatient(second))(first.started - LATER_MS)
      CommittedFiles.of(first.files, second.files, before, last.fold(0)(_.gates),
        Trust(
          later = isDecided || byUser || second.started - first.started >= LATER_MS,
          patient = isDecided || byUser || isPatient(second),
          always = byUser && isOver,
          kept = file => copied.exists(time => staged.exists(_.hasSince(file, time)))))
    }

    /** Whether files have been missing for longer than an overwrite needs to show a sign. */
    private def isPatient(now: Look): Boolean =
      unclear.exists(now.started - _ >= patience.toMillis)

    /** The time for which missing files may mean an overwrite that shows no other sign yet. */
    private def patience: Duration =
      (source.options.refresh.map(_.dividedBy(2)) ++ source.options.maxStaleness ++ Seq(PATIENCE))
        .min

    /** Makes a version of a probe's files; None: some were removed before they were read. */
    private def take(look: Look): Option[HeldVersion] = {
      val fingerprint = source.fingerprint(look)
      val made = fingerprint.filterNot(_ => byUser).flatMap(snapshots.newest(_))
      made.orElse(copy(look, fingerprint)).map { version =>
        hasFailedToGrow = false
        taken = Some(look)
        unclear = None
        open = None
        HeldVersion(version, look.started)
      }
    }

    private def copy(look: Look, fingerprint: Option[String]): Option[Version] = {
      keep(look)
      if (staged.isDefined && !isThereLater(look)) None
      else {
        val writer = new SnapshotWriter(source, look, staged, context.session)
        var isThereStill = true
        try {
          val made = snapshots.publish { draft =>
            val version =
              grow(look, fingerprint, draft).getOrElse(writer.write(draft, fingerprint))
            isThereStill = staged.isDefined || isThere(look)
            Option.when(isThereStill && !last.exists(_.hasRowsOf(version)))(version)
          }
          isRestless = staged.isDefined && !isThere(look)
          if (isThereStill) made.orElse(last) else None
        } catch {
          case NonFatal(_) if staged.isEmpty && !isThere(look) => None // files were removed
        }
      }
    }

    /**
     * Writes a version of which only the files are read that `last` does not have; None, and
     * nothing is written, if the source must be read as a whole, as after a failure.
     */
    private def grow(look: Look, fingerprint: Option[String], draft: Path): Option[Version] =
      for {
        version <- last
        if source.canGrow && version.rows.exists(_ >= context.settings.incrementalMinRows)
        if !hasFailedToGrow
        found <- fingerprint
        before <- taken
        files = look.files.files -- before.files.files
        if files.nonEmpty && before.files.files.subsetOf(look.files.files) &&
          source.fingerprint(before).contains(version.fingerprint)
        news = look.copy(files = look.files.restrictedTo(files))
        grown <- {
          hasFailedToGrow = true
          val written = new GrowthWriter(source, news, staged, snapshots, context.session)
            .write(draft, version)
          hasFailedToGrow = false
          written
        }
      } yield grown.copy(fingerprint = found, gates = look.files.gates)

    /** As [[isThere]], after the time in which a removal that is under way removes a file more. */
    private def isThereLater(look: Look): Boolean = {
      Thread.sleep((look.started + POLL_MS - System.currentTimeMillis).max(0))
      isThere(look)
    }

    /** Whether all files of a probe still exist, and none of their jobs has written more. */
    private def isThere(look: Look): Boolean =
      try {
        val now = source.look()
        val found = judge(look, now, isDecided = true)
        found.areState && found.files == look.files.files &&
        (!source.readsFolders || now.files == look.files)
      } catch { case _: FileNotFoundException => false }
  }
}

private object SourceWatch {

  /** What to do after a probe. */
  private sealed trait Step
  private case class Held(version: HeldVersion) extends Step
  private case class Take(look: Look) extends Step

  /** Another probe has to decide: after a pause in ms, or in the table's next turn. */
  private case class Again(pause: Long) extends Step
  private case object Later extends Step

  private val POLL_MS = 20L

  /** Time in ms after which a file that is being written has another length or time. */
  private val LATER_MS = 100L
  private val PATIENCE_MS = 1000L
  private val PATIENCE = Duration.ofSeconds(10)
  private val MOVES = 10
}
