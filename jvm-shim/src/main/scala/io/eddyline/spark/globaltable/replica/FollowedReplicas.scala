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
 * The replicas whose new versions running tasks follow, as those of real-time mode do.
 *
 * @param renewed returns the replica with the current versions of its tables
 */
private[replica] class FollowedReplicas(renewed: Replica => Replica) {
  import FollowedReplicas._

  private val followed = new ConcurrentHashMap[ReplicaKey, Followed]
  private val versions = new BroadcastVersions(use)

  /**
   * Begins to follow a replica. The versions that it was planned with may be old by now.
   *
   * @return the id by which it is followed, and the number and broadcast of its newest version
   */
  @tailrec final def follow(replica: Replica): (Long, Long, Broadcast[Any]) = {
    val found = followed.computeIfAbsent(keyOf(replica),
      _ => {
        val made = new Followed(IDS.getAndIncrement(), replica)
        versions.publish(made.id, replica.get.broadcast)
        made
      })
    catchUp(found)
    versions.of(found.id) match {
      case Some((number, broadcast)) => (found.id, number, broadcast)
      case None => // closed meanwhile
        followed.remove(keyOf(replica), found)
        follow(replica)
    }
  }

  def contains(replica: Replica): Boolean = followed.containsKey(keyOf(replica))

  /** Makes a replica the newest version, if it is followed and no table of it has a newer one. */
  def publish(replica: Replica): Unit =
    Option(followed.get(keyOf(replica))).filterNot(_ => replica.isOld).foreach(publish(_, replica))

  private def publish(found: Followed, replica: Replica): Unit = {
    val broadcast = replica.get.broadcast
    found.synchronized {
      if (!replica.isOld || found.newest.isOld) {
        found.newest = replica
        versions.publish(found.id, broadcast)
      }
    }
  }

  /**
   * Publishes the current versions of what reads a table that has a new one, where the refresh did
   * not: it was followed only then, or another of its tables was refreshed at the same time.
   */
  def catchUp(table: TableId): Unit =
    followed.values.asScala.filter(_.newest.pins.exists(_.id == table)).foreach(catchUp)

  @tailrec private def catchUp(found: Followed): Unit = if (found.newest.isOld) {
    publish(found, renewed(found.newest))
    catchUp(found)
  }

  /** Follows a replica no longer, if it is the newest version. */
  def close(replica: Replica): Unit = Option(followed.get(keyOf(replica)))
    .filter(_.newest eq replica).foreach { found =>
      followed.remove(keyOf(replica))
      versions.close(found.id)
    }

  def stop(): Unit = versions.stop()

  /**
   * Notes that tasks use replicas, so that neither they nor the tables' probes end as idle; returns
   * how long they may be used.
   */
  private def use(ids: Iterable[Long]): Map[Long, BroadcastVersions.StalenessLimit] = {
    val used = followed.values.asScala.filter(found => ids.exists(_ == found.id)).toSeq
    used.foreach { found =>
      found.newest.lastUsed = System.currentTimeMillis
      found.newest.pins.foreach(_.table.noteUse())
    }
    used.flatMap(found =>
      found.newest.pins.flatMap(_.table.limit).minByOption(_.left).map(found.id -> _)).toMap
  }
}

private object FollowedReplicas {

  /** Ids are those of one JVM, where executors of an earlier application may still know some. */
  private val IDS = new AtomicLong

  private class Followed(val id: Long, @volatile var newest: Replica)

  /** The identity of a replica without its versions. */
  private def keyOf(replica: Replica): ReplicaKey =
    replica.key.copy(plan = replica.key.plan.transform {
      case pin: PinnedTable => pin.copy(version = None)(pin.table, pin.settings)
    })
}
