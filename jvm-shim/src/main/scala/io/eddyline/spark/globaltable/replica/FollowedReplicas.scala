package io.eddyline.spark.globaltable.replica

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.eddyline.BroadcastVersions

import io.eddyline.spark.globaltable.version.PinnedTable

/** The replicas whose new versions running tasks follow, as those of real-time mode do. */
private[replica] class FollowedReplicas {
  import FollowedReplicas._

  private val followed = new ConcurrentHashMap[ReplicaKey, Followed]
  private val versions = new BroadcastVersions(use)

  /**
   * Begins to follow a replica.
   *
   * @return the id by which it is followed, and the number and broadcast of its newest version
   */
  def follow(replica: Replica): (Long, Long, Broadcast[Any]) = {
    val found = followed.computeIfAbsent(keyOf(replica),
      _ => {
        val made = new Followed(IDS.getAndIncrement(), replica)
        versions.publish(made.id, replica.get.broadcast)
        made
      })
    val (number, broadcast) = versions.of(found.id).get
    (found.id, number, broadcast)
  }

  def contains(replica: Replica): Boolean = followed.containsKey(keyOf(replica))

  /** Makes a replica the newest version, if it is followed. */
  def publish(replica: Replica): Unit = Option(followed.get(keyOf(replica))).foreach { found =>
    found.newest = replica
    versions.publish(found.id, replica.get.broadcast)
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
  private def use(ids: Iterable[Long]): Map[Long, BroadcastVersions.Limit] = {
    val used = followed.values.asScala.filter(found => ids.exists(_ == found.id)).toSeq
    used.foreach { found =>
      found.newest.lastUsed = System.currentTimeMillis
      found.newest.pins.foreach(_.table.noteUse())
    }
    used.flatMap(found =>
      found.newest.pins.flatMap(_.table.limit).minByOption(_._1).map(found.id -> _)).toMap
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
