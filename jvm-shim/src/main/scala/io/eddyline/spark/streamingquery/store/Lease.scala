package io.eddyline.spark.streamingquery.store

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{Duration, Instant}
import java.util.UUID
import java.util.concurrent.TimeUnit.MILLISECONDS

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.eddyline.spark.base.Json

/**
 * The right to run the persistent streaming queries of a location, which one application has at a
 * time.
 *
 * Claims are numbered files that nobody overwrites: the owner has the one with the greatest number.
 * It renews its lease by writing a heartbeat, another file with a number that grows. Whoever sees
 * the same heartbeat for the whole duration of a lease, by its own clock, may claim the next
 * number; so the clocks of two machines are never compared. An owner that could not renew for two
 * thirds of the duration no longer counts itself as the owner. The time of day counts for that,
 * too, if it is later than the other clock says, which may stand still while a machine is
 * suspended.
 *
 * @param duration how long a lease is valid without a new heartbeat
 * @param clock the current time in ns, which never goes back
 * @param timeOfDay the current time in ms, which may be set forward and back
 */
private[streamingquery] class Lease(
    folder: Path, conf: Configuration, me: Owner, duration: Duration,
    clock: () => Long = () => System.nanoTime,
    timeOfDay: () => Long = () => System.currentTimeMillis) {
  import Lease._

  private val files = new AtomicFiles(folder, conf)
  @volatile private var claim: Option[Long] = None
  @volatile private var renewed = Moment(0, 0)
  private var hasEnded = false
  private var heartbeat = 0L
  private var last: Option[Observation] = None

  /** Whether this application is the owner; reads no files. */
  def isHeld: Boolean = claim.isDefined && sinceRenewal < duration.toNanos * 2 / 3

  private def sinceRenewal: Long = {
    val (before, now) = (renewed, moment)
    math.max(now.clock - before.clock, MILLISECONDS.toNanos(now.timeOfDay - before.timeOfDay))
  }

  private def moment: Moment = Moment(clock(), timeOfDay())

  /** The number of this application's claim, until another application has claimed. */
  def term: Option[Long] = claim

  /** The owner by the files, which may have died; None if there is none. */
  def owner: Option[Owner] =
    if (isHeld) Some(me)
    else numbers.lastOption.map(observe).filterNot(_.isReleased).flatMap(_.owner)

  /**
   * Renews the lease, or takes it if nobody has it; returns whether this application has it. An
   * owner that was late claims the next number, because another application may be claiming it. One
   * that has given the lease back never has it again.
   */
  def renewOrTake(): Boolean = synchronized {
    if (!hasEnded) updateClaim()
    isHeld
  }

  private def updateClaim(): Unit = {
    val at = moment
    val newest = numbers.lastOption
    claim match {
      case Some(number) if newest.contains(number) && isMine(number) =>
        if (isHeld) renew(number, at) else take(number + 1)
      case _ =>
        claim = None
        newest.fold(take(1))(watch)
    }
  }

  /**
   * Gives the lease back for good, so that another application need not wait for its end; also a
   * claim that was not settled when its thread was interrupted.
   */
  def release(): Unit = synchronized {
    hasEnded = true
    claim = None // before another application may have it
    numbers.lastOption.filter(isMine).foreach(writeHeartbeat(_, RELEASED))
  }

  private def watch(number: Long): Unit = {
    val now = observe(number)
    last match {
      case _ if now.isReleased || now.isOf(me) => take(number + 1)
      case Some(before) if before.isSame(now) =>
        if (now.began - before.ended >= duration.toNanos) take(number + 1)
      case _ => last = Some(now)
    }
  }

  private def observe(number: Long): Observation = {
    val began = clock()
    Observation(number, readHeartbeat(number), readOwner(number), began, ended = clock())
  }

  private def take(number: Long): Unit = {
    val at = moment
    files.makeFolder()
    val isCreated = files.create(s"$number$CLAIM", Json.write(me))
    if (isCreated) Thread.sleep(SETTLE_MS) // without links, two writers may have created it
    // after a pause the number may be free because a greater one has taken its place
    val isNewest = isCreated && numbers.lastOption.contains(number)
    claim = Option.when(isNewest && isMine(number))(number)
    if (claim.isDefined) {
      renew(number, at)
      for (old <- numbers if old < number; kind <- Seq(CLAIM, HEARTBEAT)) {
        try files.remove(s"$old$kind")
        catch { case _: IOException => } // an old claim that is left counts for nothing
      }
    }
  }

  /** Writes a heartbeat, which is valid from the moment before the claims were read. */
  private def renew(number: Long, at: Moment): Unit = {
    heartbeat += 1
    writeHeartbeat(number, heartbeat.toString)
    renewed = at
  }

  private def isMine(number: Long): Boolean = readOwner(number).exists(_.token == me.token)

  private def numbers: Seq[Long] =
    files.names(CLAIM).flatMap(_.stripSuffix(CLAIM).toLongOption).sorted

  /** A claim that cannot be read, such as an empty file, is one that runs out as any other. */
  private def readOwner(number: Long): Option[Owner] =
    files.read(s"$number$CLAIM").map(bytes => Try(Json.read[Owner](bytes)).getOrElse(Owner.UNKNOWN))

  private def readHeartbeat(number: Long): Option[String] =
    files.read(s"$number$HEARTBEAT").map(new String(_, UTF_8))

  private def writeHeartbeat(number: Long, text: String): Unit =
    files.write(s"$number$HEARTBEAT", text.getBytes(UTF_8))
}

private object Lease {
  private val CLAIM = ".claim"
  private val HEARTBEAT = ".beat"
  private val RELEASED = "released"
  private val SETTLE_MS = 200L

  private case class Moment(clock: Long, timeOfDay: Long)

  /** A claim as it was found between two times: with its last heartbeat, and its owner. */
  private case class Observation(
      number: Long, heartbeat: Option[String], owner: Option[Owner], began: Long, ended: Long) {
    def isReleased: Boolean = heartbeat.contains(RELEASED)

    /** Whether it is a claim of this application, which did not get as far as to settle it. */
    def isOf(me: Owner): Boolean = owner.exists(_.token == me.token)

    def isSame(other: Observation): Boolean =
      (number, heartbeat, owner) == ((other.number, other.heartbeat, other.owner))
  }
}

/**
 * An application that runs the persistent streaming queries of a location.
 *
 * @param token identifies the owner, also after a restart with the same application id
 * @param since when it began, in ISO 8601
 */
private[streamingquery] case class Owner(
    token: String, application: String, host: String, process: Long, since: String) {

  /** Describes the owner for messages. */
  def text: String =
    if (this == Owner.UNKNOWN) "an application whose claim cannot be read"
    else s"$application (process $process on $host, since $since)"
}

private[streamingquery] object Owner {

  /** The owner of a claim that cannot be read. */
  val UNKNOWN: Owner = Owner("", "", "", 0, "")

  /** Returns this JVM as an owner. */
  def here(application: String, host: String): Owner = Owner(
    UUID.randomUUID.toString, application, host, ProcessHandle.current.pid, Instant.now().toString)
}
