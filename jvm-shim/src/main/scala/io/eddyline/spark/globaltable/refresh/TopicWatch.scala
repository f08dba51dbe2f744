package io.eddyline.spark.globaltable.refresh

import java.lang.ref.SoftReference

import scala.util.control.{NonFatal, NoStackTrace}

import org.apache.spark.SparkThrowable
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.topic.{TopicClient, TopicDefinition, TopicEnd}
import io.eddyline.spark.globaltable.version._
import io.eddyline.spark.kafka.TopicOffsets

/**
 * Follows the topic of a global table (KIP-99): a version has the last record of each key up to an
 * offset of each partition. The offsets are stored with the snapshot, so that a restart reads only
 * what came after them.
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
  @volatile private var records = 0L

  /** The number of records that this application has read. */
  def recordsRead: Long = records

  /** Returns a version at the last offsets that it was read to, and with the counts until there. */
  def withLatestOffsets(version: Version): Version =
    lastEqualVersion.filter(_.name == version.name).getOrElse(version)

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
    val known = for {
      version <- last
      position <- withLatestOffsets(version).topic
      if writer.fingerprint(version.topic.get) == version.fingerprint
    } yield (version, position)
    known match {
      case Some((version, position)) if isAt(position, topic, end) =>
        val confirmed = writer.position(end, position.malformed)
        lastEqualVersion = Some(withLatestOffsets(version).copy(topic = Some(confirmed)))
        RefreshResult.Confirmed(version, Some(started))
      case _ =>
        val version = snapshots.newest(writer.fingerprint(writer.position(end, malformed = 0)))
          .orElse(known.flatMap { case (version, _) => applyChanges(writer, topic, version, end) })
          .getOrElse(publish(writer, topic, writer.empty, end))
        RefreshResult.Confirmed(version, Some(started))
    }
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
    driverState.clear()
    client.close()
  }

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
    val position = withLatestOffsets(from).topic.get
    if (!position.isOf(end.topicId)) warnReload("was deleted and created again")
    else if (writer.started - position.since >= topic.deleteRetention) {
      warnReload(s"was not read for ${topic.deleteRetention} ms or longer")
    } else if (!TopicOffsets.parse(position.offsets).growsTo(end.offsets)) {
      warnReload(s"ends before ${position.offsets}")
    } else if (!snapshots.isThere(from)) {
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
      val last = withLatestOffsets(before.version)
      val read = writer.read(before.rows, last, end)
      records += read.count
      made = writer.write(before.copy(version = last), read, end, draft)
      if (client.idOf(topic, context.session) != end.topicId) throw new TopicRecreated
      Option.when(made.version.name.isEmpty)(made.version)
    }
    if (published.isEmpty) lastEqualVersion = Some(made.version)
    driverState = new SoftReference(published.fold(Option(before))(made.published).orNull)
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
  private class TopicRecreated extends Exception with NoStackTrace
}
