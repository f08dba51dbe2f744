package io.eddyline.spark.globaltable.replica

import java.util.concurrent.{Callable, ExecutionException, FutureTask}

import scala.util.Try

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.BroadcastMode
import org.apache.spark.sql.execution.joins.{HashedRelationBroadcastMode, HashJoin}

import io.eddyline.spark.globaltable.version.{PinnedTable, Version}

/**
 * The identity of a replica: the canonicalized plan of its rows and mode of its lookup, and the
 * settings of the session in which both are computed.
 */
private[globaltable] case class ReplicaKey(
    plan: LogicalPlan,
    mode: BroadcastMode,
    settings: Map[String, String])

private[globaltable] object ReplicaKey {
  def of(
      plan: LogicalPlan, mode: BroadcastMode, settings: Map[String, String]): ReplicaKey =
    ReplicaKey(plan.canonicalized, mode.canonicalized, settings)

  /** Returns the mode of a lookup by `keys` in rows with these columns. */
  def mode(keys: Seq[Expression], columns: Seq[Attribute]): HashedRelationBroadcastMode =
    HashedRelationBroadcastMode(
      BindReferences.bindReferences(HashJoin.rewriteKeyExpr(keys), columns))
}

/**
 * A replica that has been built and broadcast.
 *
 * @param rows number of rows
 * @param bytes size of the relation when it was built; on an executor one by integers may take half
 * @param buildMs time to read and build it, in ms
 * @param changed the replica that it changes; None: it has all rows itself
 */
private[globaltable] case class BuiltReplica(
    broadcast: Broadcast[Any],
    rows: Long,
    bytes: Long,
    buildMs: Long,
    changed: Option[ChangedReplica] = None) {

  /** The broadcasts that a lookup reads. */
  def broadcasts: Seq[Broadcast[Any]] = broadcast +: changed.toSeq.flatMap(_.base.broadcasts)
}

/**
 * The replica whose rows another one changes.
 *
 * @param version the version of its rows
 * @param sent number of bytes that the changes are when they are sent
 */
private[globaltable] case class ChangedReplica(version: Version, base: BuiltReplica, sent: Long)

/**
 * A replica that is being built or has been built.
 *
 * @param plan the plan of its rows, over [[PinnedTable]]s
 * @param settings the settings of the session in which it is computed
 */
private[globaltable] class Replica(
    val plan: LogicalPlan,
    val mode: BroadcastMode,
    val settings: Map[String, String])(
    build: Callable[BuiltReplica]) {
  val key: ReplicaKey = ReplicaKey.of(plan, mode, settings)
  private[globaltable] val task = new FutureTask(build)
  @volatile var lastUsed: Long = System.currentTimeMillis

  /** Whether a second query has requested it. */
  @volatile var isShared: Boolean = false

  /** Whether it is computed from tables and not the rows of one table as they are. */
  def isDerived: Boolean = !plan.isInstanceOf[PinnedTable]

  /** The replica of a version whose rows later ones may change: its own, or the one it changes. */
  def base: Option[(Version, BuiltReplica)] =
    built.flatMap(own =>
      own.changed.map(changed => changed.version -> changed.base)
        .orElse(pins.headOption.flatMap(_.version).map(_ -> own)))

  def pins: Seq[PinnedTable] = PinnedTable.in(plan)

  /** Whether one of its tables has another version now. */
  def isOld: Boolean = pins.exists(pin => pin.table.current.exists(!pin.version.contains(_)))

  /** Waits for the build and returns its result, or raises its error. */
  def get: BuiltReplica =
    try task.get()
    catch { case e: ExecutionException => throw e.getCause }

  /** The result of the build, without waiting; None if it is not done or failed. */
  def built: Option[BuiltReplica] =
    if (task.isDone) Try(task.get()).toOption else None
}
