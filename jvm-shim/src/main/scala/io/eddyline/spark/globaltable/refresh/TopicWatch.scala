package io.eddyline.spark.globaltable.refresh

import java.util.concurrent.atomic.AtomicReference

import scala.util.control.{NonFatal, NoStackTrace}

import org.apache.hadoop.fs.Path
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

  /** The version whose rows later records did not change, and how far they were read. */
  @volatile private var unchanged: Option[Version] = None

  /** What the driver knows of the last version that it wrote without a job. */
  @volatile private var known: Option[KnownVersion] = None

  /** The rows of the version that the driver has written last, until they are used. */
  private val written = new AtomicReference[Option[(String, LogicalPlan)]](None)
  @volatile private var records = 0L

  /** The number of records that this application has read. */
  def recordsRead: Long = records

  /** Returns a version with the records that were read since, if these did not change its rows. */
  def counted(version: Version): Version =
    unchanged.filter(_.name == version.name).getOrElse(version)

  /** Whether the topic still ends where a version was read to. */
  def holds(topic: TopicDefinition, version: Version): Boolean =
    counted(version).topic.exists(isAt(_, topic, client.endOf(topic, context.session)))

  /** Returns the version that the topic holds now, which is `last` if no row has changed. */
  def advance(
      source: Source,
      topic: TopicDefinition,
      last: Option[Version]): RefreshResult =
    try read(source, topic, last)
    catch {
      case _: TopicIsAnother => advance(source, topic, last)
    }

  private def read(
      source: Source,
      topic: TopicDefinition,
      last: Option[Version]): RefreshResult = {
    val started = System.currentTimeMillis
    written.set(None)
    val end = client.endOf(topic, context.session)
    val writer =
      new TopicSnapshotWriter(source, topic, snapshots, context.session, started)(records += _)
    val known = for {
      version <- last
      position <- counted(version).topic
      if writer.fingerprint(version.topic.get) == version.fingerprint
    } yield (version, position)
    known match {
      case Some((version, position)) if isAt(position, topic, end) =>
        val confirmed = writer.position(end, position.malformed)
        unchanged = Some(counted(version).copy(topic = Some(confirmed)))
        RefreshResult.Confirmed(version, Some(started))
      case _ =>
        val version = snapshots.newest(writer.fingerprint(writer.position(end)))
          .orElse(known.flatMap { case (version, position) =>
            if (!position.isOf(end.topicId)) readAgain("was deleted and created again")
            else if (started - position.since < topic.deleteRetention) {
              follow(writer, topic, version, position, end)
            } else {
              readAgain(s"was not read for ${topic.deleteRetention} ms or longer")
            }
          })
          .getOrElse(begin(writer, topic, end))
        RefreshResult.Confirmed(version, Some(started))
    }
  }

  /** Returns a plan of the changes that a version has of its base, if the driver has them. */
  def changes(version: Version, columns: Seq[AttributeReference]): Option[LogicalPlan] =
    known.filter(_.name == version.name).map(_.plan(columns))

  /**
   * Returns a plan of the rows of a version, if the driver has just written them, and frees them:
   * only the first replica is built from them.
   */
  def takeRows(version: Version, columns: Seq[AttributeReference]): Option[LogicalPlan] =
    written.getAndSet(None).filter(_._1 == version.name).map { case (_, rows) =>
      NamedColumns.of(rows, columns)
    }

  /** Closes the connection and frees memory; the next call opens one again. */
  def close(): Unit = {
    known = None
    written.set(None)
    client.close()
  }

  /** Reads the topic as a whole. */
  private def begin(writer: TopicSnapshotWriter, topic: TopicDefinition, end: TopicEnd): Version = {
    var few: Option[WrittenRows] = None
    val version = publish(topic, end) { draft =>
      val made = writer.writeAllOfFew(draft, end)(client.all(topic, context.session, end.offsets))
      few = made.map(_._2)
      Some(made.fold(writer.writeAll(draft, end))(_._1))
    }.get
    // another driver may have published the same rows as changes, of which only it knows the base
    known = few.filter(_ => version.base.isEmpty).map(_.known(version))
    written.set(few.map(version.name -> _.rows))
    version
  }

  /** Applies the records since a version; None: the topic must be read as a whole. */
  private def follow(
      writer: TopicSnapshotWriter,
      topic: TopicDefinition,
      last: Version,
      position: TopicPosition,
      end: TopicEnd): Option[Version] = {
    val from = TopicOffsets.parse(position.offsets)
    if (!from.growsTo(end.offsets)) {
      readAgain(s"ends before ${position.offsets}")
    } else if (!snapshots.isThere(last)) {
      readAgain("has a snapshot that was removed")
    } else {
      try {
        val before = counted(last)
        var next = before
        var nextKnown: Option[KnownVersion] = None
        val made = publish(topic, end) { draft =>
          val few = writer.writeFew(draft, before, known, end)(
            client.few(topic, context.session, from, end.offsets))
          next = few.fold(writer.writeChanges(draft, before, from, end))(_._1)
          nextKnown = few.map(_._2)
          Option.when(next.name.isEmpty)(next)
        }
        val version = made.getOrElse(next)
        if (made.isEmpty) unchanged = Some(version)
        // another driver may have published equal rows as changes of another base
        known = nextKnown.filter(_.base.name == version.base.getOrElse(version.name))
          .map(_.copy(name = version.name))
        made.orElse(Some(last))
      } catch {
        case NonFatal(e) if isLoss(e) => readAgain(s"has lost records (${e.getMessage})")
      }
    }
  }

  /**
   * Publishes a version of records up to `end`, or fails by [[TopicIsAnother]], if the records may
   * be those of a topic that was created meanwhile.
   */
  private def publish(topic: TopicDefinition, end: TopicEnd)(
      write: Path => Option[Version]): Option[Version] = snapshots.publish { draft =>
    val made = write(draft)
    if (client.idOf(topic, context.session) != end.topicId) throw new TopicIsAnother
    made
  }

  private def isAt(position: TopicPosition, topic: TopicDefinition, end: TopicEnd): Boolean =
    position.isOf(end.topicId) && position.offsets == end.offsets.json(topic.name)

  private def readAgain(reason: String): None.type = {
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

  /** Tells that the topic is no longer the one that was asked for its end. */
  private class TopicIsAnother extends Exception with NoStackTrace
}
