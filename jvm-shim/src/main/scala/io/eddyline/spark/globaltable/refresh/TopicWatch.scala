package io.eddyline.spark.globaltable.refresh

import java.lang.ref.SoftReference

import scala.util.control.{NonFatal, NoStackTrace}

import org.apache.spark.SparkThrowable
import org.apache.spark.internal.Logging
import org.apache.spark.rpc.eddyline.BroadcastVersions
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.topic._
import io.eddyline.spark.globaltable.version._
import io.eddyline.spark.kafka.TopicOffsets

/**
 * Follows the topic of a global table (KIP-99): a version has the last record of each key up to an
 * offset of each partition. The offsets are stored with the snapshot, so that a restart reads only
 * what came after them. While running tasks look up in the table, a [[TopicFollower]] reads the
 * topic; then a version is stored only for a query that asks for one, or if it has many changes.
 *
 * The topic is read as a whole again if it has lost records that no version has, was created
 * again, or was not read for as long as it keeps tombstones. Tombstones may be among the records
 * that it no longer has, so that those that are left do not give the rows. Offsets do not tell a
 * topic from one of its name that was created later; its id does.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.TOPIC_NOT_FOUND, those of [[TopicSnapshotWriter]] and of Kafka.
 */
private[globaltable] class TopicWatch(
    id: TableId, snapshots: Snapshots, context: RefreshContext, client: TopicClient)
  extends Logging {
  import TopicWatch._

  /** The last version whose rows later records did not change, at the offsets of these. */
  @volatile private var lastEqualVersion: Option[Version] = None

  /** The last version that was written here. It can be read again, so it may leave the memory. */
  @volatile private var driverState = new SoftReference[DriverVersion](null)
  @volatile private var follower: Option[TopicFollower] = None
  @volatile private var records = 0L

  /** Whether a query has asked for the current version since it was stored. */
  @volatile private var isWanted = true

  /** Whether tasks have had later rows than the current version since it was confirmed. */
  @volatile private var hasLater = false

  /** The number of records that this application has read. */
  def recordsRead: Long = records

  /** Notes that a query asks for the current version; returns whether there are later rows. */
  def want(): Boolean = {
    isWanted = true
    hasLater
  }

  /** Returns a version at the last offsets that it was read to, and with the counts until there. */
  def withLatestOffsets(version: Version): Version =
    (follower.map(_.version.version) ++ lastEqualVersion)
      .find(last => last.name == version.name && last.name.nonEmpty).getOrElse(version)

  /** Whether the topic still ends where a version was read to. */
  def isAtEnd(topic: TopicDefinition, version: Version): Boolean =
    withLatestOffsets(version).topic.exists(isAt(_, topic, client.endOf(topic, context.session)))

  /** Returns the version that the topic holds now, which is `last` if no row has changed. */
  def advance(
      source: Source,
      topic: TopicDefinition,
      last: Option[Version]): RefreshResult =
    try read(source, topic, last)
    catch {
      case _: TopicRecreated => advance(source, topic, last)
    }

  private def read(
      source: Source,
      topic: TopicDefinition,
      last: Option[Version]): RefreshResult = {
    val started = System.currentTimeMillis
    val end = client.endOf(topic, context.session)
    val writer =
      new TopicSnapshotWriter(source, topic, snapshots, client, context.session, started)
    val known = last.filter(version =>
      version.topic.exists(_ => writer.fingerprint(version.topic.get) == version.fingerprint))
    val ahead = known.flatMap(_ => follower).flatMap(_.await(end))
    if (ahead.isEmpty) endFollowing()
    val version = (known, ahead) match {
      case (Some(version), Some(now))
          if now.version.name == version.name || !isWanted && writer.areFew(now) =>
        hasLater = now.version.name != version.name
        version
      case (Some(_), Some(now)) => publish(writer, topic, now, end)
      case (Some(version), None)
          if withLatestOffsets(version).topic.exists(isAt(_, topic, end)) =>
        val position = withLatestOffsets(version)
        lastEqualVersion = Some(position.copy(
            topic = Some(writer.position(end, position.topic.get.malformed))))
        version
      case _ => snapshots.newest(writer.fingerprint(writer.position(end, malformed = 0)))
          .orElse(known.flatMap(applyChanges(writer, topic, _, end)))
          .getOrElse(publish(writer, topic, writer.empty, end))
    }
    RefreshResult.Confirmed(version, Some(started))
  }

  /** Whether a thread reads the topic, so that running tasks get later rows. */
  def isFollowing: Boolean = follower.exists(_.isAlive)

  /** Sends what the current version lacks to all running tasks that look up in the table. */
  def send(): Unit = follower.foreach(_.current(now =>
      send(now.rowType, BroadcastVersions.number(), now.changes.values)))

  private def send(columns: StructType, number: Long, changes: Iterable[Change]): Unit =
    context.replicas.live.change(id, columns, number, changes)

  /** Begins to read the topic from a table's current version on, on a thread of its own. */
  def follow(source: Source, topic: TopicDefinition, version: Version, table: FollowedTable)
      : Unit = {
    val session = context.session
    val writer =
      new TopicSnapshotWriter(source, topic, snapshots, client, session, System.currentTimeMillis)
    val first = inMemory(version).getOrElse(writer.load(version))
      .copy(version = withLatestOffsets(version))
    val topicId = first.version.topic.flatMap(_.topicId)
    var checked = 0L

    def check(): Unit = if (System.nanoTime - checked > ID_CHECK) {
      if (client.idOf(topic, session) != topicId) throw new TopicRecreated
      checked = System.nanoTime
    }
    def changed(now: DriverVersion, found: LastRecords, offsets: TopicOffsets): DriverVersion = {
      records += found.count
      val next = now.changed(found,
        writer.position(
          TopicEnd(topicId, offsets), malformed = 0, since = System.currentTimeMillis))
      send(next.rowType, next.number, found.changes.map(_._2))
      if (writer.areFew(now) && !writer.areFew(next)) context.refresher.scheduleNow(table)
      next
    }
    driverState = new SoftReference(first)
    val consumer = client.consumer(topic, session, first.offsets)
    val made = new TopicFollower(first, consumer, topicId)(
      now => writer.records(now.rows, table.options), check, changed, () => table.hasFollowers,
      error => {
        table.failed(error)
        context.refresher.schedule(table)
      })
    follower = Some(made)
    made.start()
  }

  /** Ends the thread that reads the topic; what it has read is kept for the next version. */
  private def endFollowing(): Unit = {
    follower.foreach { old =>
      old.close()
      driverState = new SoftReference(old.version)
      lastEqualVersion =
        Some(old.version.version).filter(_.name.nonEmpty).orElse(lastEqualVersion)
    }
    follower = None
  }

  /** Returns a plan of the rows of a version, if the driver has them. */
  def rows(version: Version, columns: Seq[AttributeReference]): Option[LogicalPlan] =
    inMemory(version).map(_.rowPlan(columns))

  /** Returns a plan of the changes that a version has of its base, if the driver has them. */
  def changes(version: Version, columns: Seq[AttributeReference]): Option[LogicalPlan] =
    inMemory(version).map(_.changePlan(columns))

  private def inMemory(version: Version): Option[DriverVersion] =
    Option(driverState.get).filter(_.version.name == version.name)

  /** Closes the connection and frees memory; the next call opens one again. */
  def close(): Unit = {
    endFollowing()
    driverState.clear()
    client.close()
  }

  /** Returns the number of a version's last change, by which tasks know whether they have it. */
  def numberOf(version: Version): Option[Long] = inMemory(version).map(_.number)

  /** Applies the records since a version; None: the topic must be read as a whole. */
  private def applyChanges(
      writer: TopicSnapshotWriter,
      topic: TopicDefinition,
      last: Version,
      end: TopicEnd): Option[Version] = {
    // of the same base, so that drivers that follow one topic do not write bases in turns
    val base = last.base.getOrElse(last.name)
    val held = Option(driverState.get).filter(_.base.exists(_.name == base))
    val from = held.fold(last)(_.version)
    val stored = held.flatMap(_.base).getOrElse(last)
    val position = withLatestOffsets(from).topic.get
    if (!position.isOf(end.topicId)) warnReload("was deleted and created again")
    else if (writer.started - position.since >= topic.deleteRetention) {
      warnReload(s"was not read for ${topic.deleteRetention} ms or longer")
    } else if (!TopicOffsets.parse(position.offsets).growsTo(end.offsets)) {
      warnReload(s"ends before ${position.offsets}")
    } else if (!snapshots.isThere(stored)) {
      warnReload("has a snapshot that was removed")
    } else {
      try Some(publish(writer, topic, held.getOrElse(writer.load(from)), end))
      catch {
        case NonFatal(e) if isLoss(e) => warnReload(s"has lost records (${e.getMessage})")
      }
    }
  }

  /**
   * Publishes the version that the records up to `end` make of another one, and returns it; or that
   * one, if no row has changed. Fails by [[TopicRecreated]] if the records may be those of a topic
   * that was created meanwhile.
   */
  private def publish(
      writer: TopicSnapshotWriter,
      topic: TopicDefinition,
      before: DriverVersion,
      end: TopicEnd): Version = {
    var made = before
    val published = snapshots.publish { draft =>
      val last = before.copy(version = withLatestOffsets(before.version))
      val (read, offsets) = writer.read(last, end)
      records += read.count
      made = last.changed(read, writer.position(end.copy(offsets = offsets), malformed = 0))
      if (made.version.name.isEmpty) made = writer.write(made, draft)
      if (client.idOf(topic, context.session) != end.topicId) throw new TopicRecreated
      Option.when(made.version.name.isEmpty)(made.version)
    }
    if (published.isEmpty) lastEqualVersion = Some(made.version)
    driverState = new SoftReference(published.fold(Option(before))(made.published).orNull)
    published.foreach { version =>
      val as = Option(driverState.get).getOrElse(before.copy(version = version))
      follower.foreach(_.published(before, as))
    }
    isWanted = false
    hasLater = false
    published.getOrElse(before.version)
  }

  private def isAt(position: TopicPosition, topic: TopicDefinition, end: TopicEnd): Boolean =
    position.isOf(end.topicId) && position.offsets == end.offsets.json(topic.name)

  private def warnReload(reason: String): None.type = {
    logWarning(s"The topic of ${id.shortName} $reason; reloading it completely")
    None
  }

  /** Whether a read failed because the topic no longer has the records. */
  private def isLoss(error: Throwable): Boolean =
    EddylineErrors.causes(error).exists {
      case named: SparkThrowable
          if Option(named.getCondition).exists(_.startsWith("KAFKA_DATA_LOSS")) => true
      case other => other.getClass.getSimpleName == "OffsetOutOfRangeException"
    }
}

private object TopicWatch {

  /** The topic was deleted and created again while it was read. */
  private class TopicRecreated
    extends Exception("the topic was deleted and created again") with NoStackTrace

  /** How often a thread that follows a topic asks whether it is still the same one, in ns. */
  private val ID_CHECK = 1000000000L
}
