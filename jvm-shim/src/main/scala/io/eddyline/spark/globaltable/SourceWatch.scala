package io.eddyline.spark.globaltable

import java.io.FileNotFoundException
import java.time.Duration

import scala.annotation.tailrec
import scala.util.control.NonFatal

import io.eddyline.spark.EddylineErrors
import io.eddyline.spark.globaltable.CommittedFiles.Trust

/**
 * A version that a source holds, or held when a look began.
 *
 * @param since when that was, in ms since the epoch
 */
private[globaltable] case class HeldVersion(version: Version, since: Long)

/**
 * Looks at a source that keeps no versions, and copies the state that it finds.
 *
 * Writers go on meanwhile. A state is a list of files that [[CommittedFiles]] takes for complete;
 * it is read file by file and looked at again after that. Where files went before they were read,
 * or go all the time, they are copied as they are as soon as a look finds them, and looks follow
 * each other closely.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED, and those of [[SnapshotWriter]].
 */
private[globaltable] class SourceWatch(id: TableId, snapshots: Snapshots, globals: GlobalTables) {
  import SourceWatch._

  private var taken: Option[FileListing] = None
  private var open: Option[Look] = None
  private var unclear: Option[Long] = None
  private var isRestless = false
  private var writing = false

  /** Whether a look has left open what another one soon after it may tell. */
  def isWaiting: Boolean = open.isDefined

  /** Whether the last look came to nothing because a job was overwriting. */
  def isWriting: Boolean = writing

  /**
   * The version that the source holds now, which is `last` if nothing has changed; None if another
   * look has to tell.
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
      val found = try Some(source.look()) catch {
        case _: FileNotFoundException if !isOver => None // an overwrite begins with that
      }
      found.fold[Step](Again(POLL_MS)) { look =>
        keep(look)
        decide(look)
      }
    }

    /** The first copies may take long, so the wait for a pause between writes begins after them. */
    private def keep(look: Look): Unit = staged.foreach { files =>
      val isFirst = files.isEmpty
      files.add(look.files.files)
      if (isFirst && !files.isEmpty) started = System.currentTimeMillis
    }

    private def secure(): Unit = {
      moves += 1
      if (moves > MOVES) fail()
      started = System.currentTimeMillis
      stage()
    }

    /** From now on nothing is read that may be removed meanwhile. */
    private def stage(): Unit = {
      isRestless = true
      if (staged.isEmpty && source.canMove) staged = Some(snapshots.stage())
    }

    private def fail(): Nothing = {
      writing = true
      throw EddylineErrors.analysis(
        "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED", Map("table" -> id.shortName))
    }

    /** Whether a moment between two writes has been awaited for long enough. */
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
            unclear = unclearSince(one, before, now)
            if (one.areWritten) if (isOver) fail() else Again(POLL_MS)
            else {
              if (two.isDefined && isPatient(now)) stage()
              if (staged.isDefined && !isOver) Again(LATER_MS) else Later
            }
          }
      }
    }

    /**
     * Since when files are gone without a sign of a job that overwrites them: from now on where a
     * folder has become empty, as an overwrite may begin with that.
     */
    private def unclearSince(one: CommittedFiles, before: Option[Look], now: Look): Option[Long] =
      if (one.areWritten) None
      else if (one.areState) unclear
      else unclear.filterNot(_ => before.exists(_.files.isEmptiedIn(now.files)))
        .orElse(Some(now.started))

    /** Waits for a moment between two writes, and then takes what no write has touched. */
    private def decideAtOnce(now: Look, two: Option[(Look, CommittedFiles)]): Step =
      if (isOver) {
        Take(two.collectFirst { case (first, found) if found.areState => first.of(found) }
          .getOrElse(now))
      } else {
        if (open.isEmpty) open = Some(now)
        Again(POLL_MS)
      }

    /** @param next what a look soon after this one may tell to be complete */
    private def hold(look: Look, next: Option[Look]): Step = {
      taken = Some(look.files)
      unclear = None
      open = next
      Held(HeldVersion(last.get, look.started))
    }

    private def isLast(look: Look, found: CommittedFiles): Boolean =
      last.exists(version => source.fingerprint(look.of(found)).contains(version.fingerprint))

    /** A reader of folders gets all that is in them. */
    private def isTaken(look: Look, found: CommittedFiles): Boolean =
      found.areState && (!source.readsFolders || found.files == look.files.files)

    /** @param isDecided whether earlier looks have told that the files of the first are complete */
    private def judge(first: Look, second: Look, isDecided: Boolean = false): CommittedFiles = {
      val before = if (last.isEmpty) Some(FileListing(Map.empty)) else taken
      CommittedFiles.of(first.files, second.files, before, last.fold(0)(_.gates), Trust(
        later = isDecided || byUser || second.started - first.started >= LATER_MS,
        patient = isDecided || byUser || isPatient(second),
        always = byUser && isOver))
    }

    /** Whether files have been going for longer than an overwrite takes to show itself. */
    private def isPatient(now: Look): Boolean =
      unclear.exists(now.started - _ >= patience.toMillis)

    /** How long a removal may be the beginning of an overwrite that shows no sign of itself. */
    private def patience: Duration =
      (source.options.refresh.map(_.dividedBy(2)) ++ source.options.maxStaleness ++ Seq(PATIENCE))
        .min

    /** None: files have gone before they were read. */
    private def take(look: Look): Option[HeldVersion] = {
      val fingerprint = source.fingerprint(look)
      val made = fingerprint.filterNot(_ => byUser).flatMap(snapshots.newest(_))
      made.orElse(copy(look, fingerprint)).map { version =>
        taken = Some(look.files)
        unclear = None
        open = None
        HeldVersion(version, look.started)
      }
    }

    private def copy(look: Look, fingerprint: Option[String]): Option[Version] = {
      keep(look)
      if (staged.isDefined && !isThere(look)) None
      else {
        val writer = new SnapshotWriter(source, look, staged, globals.session)
        var isThereStill = true
        try {
          val made = snapshots.publish { draft =>
            val version = writer.write(draft, fingerprint)
            isThereStill = staged.isDefined || isThere(look)
            Option.when(isThereStill && !last.exists(_.hasRowsOf(version)))(version)
          }
          isRestless = staged.isDefined && !isThere(look)
          if (isThereStill) made.orElse(last) else None
        } catch {
          case NonFatal(_) if staged.isEmpty && !isThere(look) => None // which is why it failed
        }
      }
    }

    /** Whether no file of a look has gone, and no job has brought more files. */
    private def isThere(look: Look): Boolean = try {
      val now = source.look()
      val found = judge(look, now, isDecided = true)
      found.areState && found.files == look.files.files &&
        (!source.readsFolders || now.files == look.files)
    } catch { case _: FileNotFoundException => false }
  }
}

private object SourceWatch {
  /** What comes of one look. */
  private sealed trait Step
  private case class Held(version: HeldVersion) extends Step
  private case class Take(look: Look) extends Step

  /** Another look is to tell: after a pause in ms, or when the table has its next turn. */
  private case class Again(pause: Long) extends Step
  private case object Later extends Step

  private val POLL_MS = 20L

  /** After which a file that somebody writes has another length or time. */
  private val LATER_MS = 100L
  private val PATIENCE_MS = 1000L
  private val PATIENCE = Duration.ofSeconds(10)
  private val MOVES = 10
}
