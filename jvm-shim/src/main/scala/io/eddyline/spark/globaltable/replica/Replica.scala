package io.eddyline.spark.globaltable.replica

import java.util.concurrent.{Callable, ExecutionException, FutureTask}

import scala.util.Try

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.BroadcastMode
import org.apache.spark.sql.execution.joins.{HashedRelationBroadcastMode, HashJoin}

import io.eddyline.spark.globaltable.version.PinnedTable

/**
 * What equal replicas have in common: the versions they hold, what they are looked up by, and the
 * settings of the session that both are computed with.
 */
private[globaltable] case class ReplicaKey(
    plan: LogicalPlan,
    mode: BroadcastMode,
    settings: Map[String, String])

private[globaltable] object ReplicaKey {
  def of(
      plan: LogicalPlan, mode: BroadcastMode, settings: Map[String, String]): ReplicaKey =
    ReplicaKey(plan.canonicalized, mode.canonicalized, settings)

  /** Of a lookup by these keys in rows with these columns. */
  def mode(keys: Seq[Expression], columns: Seq[Attribute]): HashedRelationBroadcastMode =
    HashedRelationBroadcastMode(
      BindReferences.bindReferences(HashJoin.rewriteKeyExpr(keys), columns))
}

/**
 * What was broadcast.
 *
 * @param rows in it
 * @param bytes that the relation takes on the driver and on each executor
 * @param buildMs how long it took to read and to build it
 */
private[globaltable] case class BuiltReplica(
    broadcast: Broadcast[Any],
    rows: Long,
    bytes: Long,
    buildMs: Long)

/**
 * A replica that is being built or is there.
 *
 * @param plan what it holds, over [[PinnedTable]]s
 * @param settings of the session that it is computed in
 */
private[globaltable] class Replica(
    val plan: LogicalPlan,
    val mode: BroadcastMode,
    val settings: Map[String, String])(
    build: Callable[BuiltReplica]) {
  val key: ReplicaKey = ReplicaKey.of(plan, mode, settings)
  private[globaltable] val task = new FutureTask(build)
  @volatile var lastUsed: Long = System.currentTimeMillis

  /** Whether a second query has asked for it. */
  @volatile var isShared: Boolean = false

  /** Whether it holds more than the rows of a table. */
  def isDerived: Boolean = !plan.isInstanceOf[PinnedTable]

  def pins: Seq[PinnedTable] = plan.collect { case pinned: PinnedTable => pinned }

  /** Waits for it. Raises what the build raised. */
  def get: BuiltReplica =
    try task.get()
    catch { case e: ExecutionException => throw e.getCause }

  /** What there is, without waiting. */
  def built: Option[BuiltReplica] =
    if (task.isDone) Try(task.get()).toOption else None
}
