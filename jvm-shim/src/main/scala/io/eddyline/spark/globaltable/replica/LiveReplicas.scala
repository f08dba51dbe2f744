package io.eddyline.spark.globaltable.replica

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.BroadcastVersions
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.joins.HashedRelationBroadcastMode
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.topic.Change
import io.eddyline.spark.globaltable.version.PinnedTable

/**
 * The replicas whose new versions reach running tasks, as in real-time mode.
 *
 * @param renewed returns the replica with the current versions of its tables
 * @param isByPrimaryKey whether its lookups are by the primary key of one table, so that changes of
 *                       rows are changes of matches
 */
private[globaltable] class LiveReplicas(
    renewed: Replica => Replica, isByPrimaryKey: Replica => Boolean) {
  import LiveReplicas._

  private val live = new ConcurrentHashMap[ReplicaKey, LiveReplica]
  private val versions = new BroadcastVersions(use)

  /**
   * Begins to publish new versions of a replica, which may itself be older than its tables.
   *
   * @return the id by which tasks ask for it, and the number and broadcast of its newest version
   */
  @tailrec final def register(replica: Replica): (Long, Long, Broadcast[Any]) = {
    var isNew = false
    val found = live.computeIfAbsent(keyOf(replica),
      _ => {
        val made = new LiveReplica(IDS.getAndIncrement(), replica, isByPrimaryKey(replica))
        isNew = announce(made, replica)
        made
      })
    if (isNew) sendLater(found)
    catchUp(found)
    versions.of(found.id) match {
      case Some((number, broadcast)) => (found.id, number, broadcast)
      case None => // closed meanwhile
        live.remove(keyOf(replica), found)
        register(replica)
    }
  }

  def contains(replica: Replica): Boolean = live.containsKey(keyOf(replica))

  /** Publishes a renewed replica to running tasks, unless none uses it or it is old again. */
  def publish(replica: Replica): Unit =
    Option(live.get(keyOf(replica))).filterNot(_ => replica.isOld).foreach(publish(_, replica))

  private def publish(found: LiveReplica, replica: Replica): Unit = {
    replica.get
    found.synchronized {
      if (!replica.isOld || found.newest.isOld) { // else another thread published a newer one
        found.newest = replica
        if (announce(found, replica)) sendLater(found)
      }
    }
  }

  /** Publishes the broadcast; returns whether it is newer than all changes that were published. */
  private def announce(found: LiveReplica, replica: Replica): Boolean = {
    val pin = replica.pins.headOption.filter(_ => found.isByPrimaryKey)
    val number = pin.flatMap(pin => pin.version.flatMap(pin.table.numberOf))
    versions.publish(found.id, replica.get.broadcast, number,
      hasAllRows = pin.flatMap(_.version).forall(_.base.isEmpty))
  }

  private def sendLater(found: LiveReplica): Unit =
    found.newest.pins.filter(_ => found.isByPrimaryKey).foreach(_.table.send())

  /** Whether running tasks look up in a table by its primary key. */
  def follows(table: TableId): Boolean = byKey(table).exists(
    _.newest.lastUsed > System.currentTimeMillis - IN_USE_MS)

  private def byKey(table: TableId): Iterable[LiveReplica] = live.values.asScala.filter(found =>
    found.isByPrimaryKey && found.newest.pins.exists(_.id == table))

  /** Sends changes of a table's rows to running tasks, see [[BroadcastVersions.change]]. */
  def change(
      table: TableId, columns: StructType, number: Long, changes: Iterable[Change]): Unit =
    byKey(table).foreach { found =>
      versions.change(found.id, number, changes.map(found.keyed(columns)))
    }

  /**
   * Renews and publishes the replicas of a table that its refresh left old: those registered during
   * it, and those of which another table was refreshed at the same time.
   */
  def catchUp(table: TableId): Unit =
    live.values.asScala.filter(_.newest.pins.exists(_.id == table)).foreach(catchUp)

  @tailrec private def catchUp(found: LiveReplica): Unit = if (found.newest.isOld) {
    publish(found, renewed(found.newest))
    catchUp(found)
  }

  /** Ends the publishing of a replica's versions, if it is the newest one. */
  def close(replica: Replica): Unit = Option(live.get(keyOf(replica)))
    .filter(_.newest eq replica).foreach { found =>
      live.remove(keyOf(replica))
      versions.close(found.id)
    }

  def stop(): Unit = versions.stop()

  /**
   * Notes that tasks use replicas, so that these are not released as idle and their tables are
   * still probed; returns how long the replicas may be used.
   */
  private def use(ids: Iterable[Long]): Map[Long, BroadcastVersions.StalenessLimit] = {
    val used = live.values.asScala.filter(found => ids.exists(_ == found.id)).toSeq
    used.foreach { found =>
      found.newest.lastUsed = System.currentTimeMillis
      found.newest.pins.foreach(_.table.noteUse())
    }
    used.flatMap(found =>
      found.newest.pins.flatMap(_.table.limit).minByOption(_.left).map(found.id -> _)).toMap
  }
}

private object LiveReplicas {

  /** Never used again in a JVM, whose tasks of an earlier application may still ask for some. */
  private val IDS = new AtomicLong

  /** How long after its last use tasks are taken to use a replica; they ask more often. */
  private val IN_USE_MS = 60000L

  private class LiveReplica(
      val id: Long, @volatile var newest: Replica, val isByPrimaryKey: Boolean) {

    private var made: Option[(StructType, Change => (UnsafeRow, UnsafeRow))] = None

    /** Returns what makes of a change the key of a lookup and its row; null: it has none. */
    def keyed(columns: StructType): Change => (UnsafeRow, UnsafeRow) = synchronized {
      if (!made.exists(_._1 == columns)) made = Some(columns -> compiled(columns))
      made.get._2
    }

    private def compiled(columns: StructType): Change => (UnsafeRow, UnsafeRow) = {
      val key = UnsafeProjection.create(newest.mode.asInstanceOf[HashedRelationBroadcastMode].key)
      val row = UnsafeProjection.create(newest.plan.output.map(column =>
          BoundReference(columns.fieldIndex(column.name), column.dataType, nullable = true)))
      change => {
        val found = row(change.row).copy()
        (key(found).copy(), if (change.isDeleted) null else found)
      }
    }
  }

  /** The identity of a replica without its versions. */
  private def keyOf(replica: Replica): ReplicaKey =
    replica.key.copy(plan = replica.key.plan.transform {
      case pin: PinnedTable => pin.copy(version = None)(pin.table, pin.settings)
    })
}
