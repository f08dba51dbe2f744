package io.eddyline.spark.globaltable.replica

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.BroadcastVersions

import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.version.PinnedTable

/**
 * The replicas whose new versions reach running tasks, as in real-time mode.
 *
 * @param renewed returns the replica with the current versions of its tables
 */
private[replica] class LiveReplicas(renewed: Replica => Replica) {
  import LiveReplicas._

  private val live = new ConcurrentHashMap[ReplicaKey, LiveReplica]
  private val versions = new BroadcastVersions(use)

  /**
   * Begins to publish new versions of a replica, which may itself be older than its tables.
   *
   * @return the id by which tasks ask for it, and the number and broadcast of its newest version
   */
  @tailrec final def register(replica: Replica): (Long, Long, Broadcast[Any]) = {
    val found = live.computeIfAbsent(keyOf(replica),
      _ => {
        val made = new LiveReplica(IDS.getAndIncrement(), replica)
        versions.publish(made.id, replica.get.broadcast)
        made
      })
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
    val broadcast = replica.get.broadcast
    found.synchronized {
      if (!replica.isOld || found.newest.isOld) { // else another thread published a newer one
        found.newest = replica
        versions.publish(found.id, broadcast)
      }
    }
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

  private class LiveReplica(val id: Long, @volatile var newest: Replica)

  /** The identity of a replica without its versions. */
  private def keyOf(replica: Replica): ReplicaKey =
    replica.key.copy(plan = replica.key.plan.transform {
      case pin: PinnedTable => pin.copy(version = None)(pin.table, pin.settings)
    })
}
