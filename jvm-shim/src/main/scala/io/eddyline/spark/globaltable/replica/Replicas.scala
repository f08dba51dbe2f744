package io.eddyline.spark.globaltable.replica

import java.time.Duration
import java.util.{Collections, WeakHashMap}
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Not, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.plans.physical.BroadcastMode
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan, SQLExecution}
import org.apache.spark.sql.execution.joins.eddyline.{JoinRelations, RelationTooLarge}
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.ResultSize
import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.globaltable.version.{PinnedTable, SizeLimit, Version}

/**
 * The replicas of an application: copies of a version of a global table on every executor, one for
 * each plan over it and each key by which it is looked up. All sessions, queries and micro-batches
 * share them. A replica that was not requested during the idle timeout is released.
 *
 * They are built on threads of their own, so that a query's cancellation or job group does not
 * reach a build for which others wait. Only the cache keeps a lasting reference: a released replica
 * stays usable for the queries that have it.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.TOO_LARGE.
 *
 * @param sessionOf returns the session with these settings
 * @param hasOwnRelations whether the rows are in relations of eddyline's own, and not in Spark's
 */
private[globaltable] class Replicas(
    sessionOf: Map[String, String] => SparkSession,
    idleTimeout: Duration,
    val hasOwnRelations: Boolean)
  extends Logging {
  private val cache = new ConcurrentHashMap[ReplicaKey, Replica]

  /** Keeps the base of a broadcast for as long as a query has the latter: Spark does not see it. */
  private val bases =
    Collections.synchronizedMap(new WeakHashMap[Broadcast[Any], Broadcast[Any]])
  private val threads = new BuildThreads(Replicas.THREADS)
  val live = new LiveReplicas(renewed, isByPrimaryKey)

  /** Returns the replica, and whether it existed already. A new one is built in the background. */
  def get(
      plan: LogicalPlan,
      mode: BroadcastMode,
      settings: Map[String, String]): (Replica, Boolean) = {
    val fresh = replica(plan, mode, settings)
    val found = cache.computeIfAbsent(fresh.key, _ => fresh)
    found.lastUsed = System.currentTimeMillis
    found.isShared |= found ne fresh
    if (found eq fresh) {
      if (!threads.execute(found.task)) cache.remove(found.key, found)
      releaseIdle()
      releaseSurplus(spare = found)
    }
    (found, found ne fresh)
  }

  /** Returns the broadcast of a replica whose lookups follow its versions while a task runs. */
  def following(replica: Replica, session: SparkSession): Broadcast[Any] = {
    val (id, number, first) = live.register(replica)
    SessionInternals.broadcast(
      session.sparkContext, JoinRelations.live(id, number, first, isByPrimaryKey(replica)))
  }

  /** Returns the replica if it exists or is being built. */
  def find(
      plan: LogicalPlan, mode: BroadcastMode, settings: Map[String, String]): Option[Replica] =
    Option(cache.get(ReplicaKey.of(plan, mode, settings)))

  /** The replicas with rows of a table. */
  def of(id: TableId): Seq[Replica] =
    cache.values.asScala.filter(_.pins.exists(_.id == id)).toSeq

  /**
   * Builds the replicas in use of a table at its next version, then swaps all of them; an error
   * leaves the old ones in use.
   *
   * @param commit makes the version the current one
   */
  def advance(table: TableId, next: Version)(commit: => Unit): Unit = {
    releaseIdle()
    val renewed = mutable.Buffer.empty[Replica]
    try {
      inUse(table).foreach { old =>
        val fresh = replica(at(old.plan, table, next), old.mode, old.settings, old.base)
        fresh.lastUsed = old.lastUsed
        fresh.isShared = old.isShared
        fresh.task.run()
        fresh.get
        renewed += fresh
      }
    } catch {
      case e: Throwable =>
        renewed.foreach(unpersist(_, spare = of(table)))
        throw e
    }
    renewed.foreach(fresh => cache.put(fresh.key, fresh))
    commit
    renewed.foreach(live.publish)
    try live.catchUp(table)
    finally of(table).filter(_.isOld).foreach(release(_, spare = renewed.toSeq))
  }

  /** Publishes a table's current version to running tasks, where its refresh has failed to. */
  def catchUp(table: TableId): Unit = live.catchUp(table)

  /** Releases all replicas with rows of a table. */
  def release(id: TableId): Unit = of(id).foreach(release)

  def releaseIdle(): Unit = {
    val before = System.currentTimeMillis - idleTimeout.toMillis
    cache.values.asScala.filter(idle => idle.lastUsed < before && idle.built.isDefined)
      .foreach(release)
  }

  /** Releases surplus derived replicas: a query with the current time makes one in each run. */
  private def releaseSurplus(spare: Replica): Unit =
    cache.values.asScala.filter(replica =>
      (replica ne spare) && replica.isDerived && replica.built.isDefined).toSeq
      .map(replica => replica -> replica.lastUsed).sortBy(-_._2)
      .drop(Replicas.MAX_DERIVED).foreach { case (replica, _) => release(replica) }

  def stop(): Unit = {
    threads.stop()
    live.stop()
  }

  /**
   * The built replicas of current versions; derived ones only if several queries use them, or
   * running tasks follow them.
   */
  private def inUse(table: TableId): Seq[Replica] = of(table).filter(replica =>
    replica.built.isDefined &&
      (!replica.isDerived || replica.isShared || live.contains(replica)) &&
      replica.pins.forall(pin => pin.version == pin.table.current))

  private def at(plan: LogicalPlan, table: TableId, next: Version): LogicalPlan =
    at(plan)(pin => if (pin.id == table) Some(next) else pin.version)

  private def at(plan: LogicalPlan)(version: PinnedTable => Option[Version]): LogicalPlan =
    plan.transformDownWithSubqueries { case pin: PinnedTable =>
      pin.copy(version = version(pin))(pin.table, pin.settings)
    }

  /** Returns the replica with the current versions of its tables. */
  private def renewed(old: Replica): Replica =
    get(at(old.plan)(pin => pin.table.current.orElse(pin.version)), old.mode, old.settings)._1

  private def release(replica: Replica): Unit = release(replica, Nil)

  /** @param spare replicas whose broadcasts stay, even if the released one uses them too */
  private def release(replica: Replica, spare: Seq[Replica]): Unit =
    if (cache.remove(replica.key, replica)) {
      live.close(replica)
      unpersist(replica, spare)
    }

  /** Drops the executors' copies; a query that still uses it fetches it from the driver. */
  private def unpersist(replica: Replica, spare: Seq[Replica]): Unit = {
    def of(replica: Replica) = replica.built.toSeq.flatMap(_.broadcasts)
    of(replica).diff(spare.flatMap(of)).foreach(_.unpersist())
  }

  /** @param base the replica of an earlier version, of which a new one may be changes */
  private def replica(
      plan: LogicalPlan,
      mode: BroadcastMode,
      settings: Map[String, String],
      base: Option[(Version, BuiltReplica)] = None): Replica = {
    lazy val made: Replica = new Replica(plan, mode, settings)(() =>
      try build(plan, mode, base, sessionOf(settings))
      catch {
        case e: Throwable =>
          cache.remove(made.key, made) // the next query tries again
          throw e
      })
    made
  }

  private def build(
      plan: LogicalPlan,
      mode: BroadcastMode,
      base: Option[(Version, BuiltReplica)],
      session: SparkSession): BuiltReplica = SessionInternals.detached(session) {
    val changes = plan match {
      case pin: PinnedTable if hasOwnRelations && isByPrimaryKey(pin, mode) =>
        pin.version.flatMap(version =>
          pin.table.changes(version, pin.output, session))
      case _ => None
    }
    changes match {
      case Some((version, changes)) =>
        val pin = plan.asInstanceOf[PinnedTable]
        val below = base.filter(_._1.name == version.name).map(_._2)
          .getOrElse(whole(at(pin, pin.id, version), mode, session))
        overlay(pin, changes, mode, version, below, session)
      case None => whole(plan, mode, session)
    }
  }

  /** Whether a lookup goes by the primary key, so that changes of rows are changes of matches. */
  private def isByPrimaryKey(pin: PinnedTable, mode: BroadcastMode): Boolean = {
    val keys = pin.primaryKey(SQLConf.get.resolver)
    keys.nonEmpty && keys.permutations.take(Replicas.MAX_ORDERS)
      .exists(ReplicaKey.mode(_, pin.output).canonicalized == mode.canonicalized)
  }

  private def isByPrimaryKey(replica: Replica): Boolean = replica.plan match {
    case pin: PinnedTable => isByPrimaryKey(pin, replica.mode)
    case _ => false
  }

  /** Builds a replica with all rows of a plan. */
  private def whole(
      plan: LogicalPlan, mode: BroadcastMode, session: SparkSession): BuiltReplica = {
    val started = System.nanoTime
    val (count, rows) = collect(plan, of = plan, session)
    val limited = within(plan, rows)
    val relation = fitting(plan, count) {
      if (hasOwnRelations) JoinRelations.build(mode, limited, count)
      else mode.transform(limited, Some(count))
    }
    val bytes = JoinRelations.size(relation)
    val broadcast = SessionInternals.broadcast(session.sparkContext, relation)
    BuiltReplica(broadcast, count, bytes, Replicas.msSince(started))
  }

  /** Builds a replica that is another one but for some keys. */
  private def overlay(
      pin: PinnedTable,
      changes: LogicalPlan,
      mode: BroadcastMode,
      version: Version,
      base: BuiltReplica,
      session: SparkSession): BuiltReplica = {
    val started = System.nanoTime
    val isDeleted = changes.output.last
    def where(condition: Expression) =
      collect(Project(pin.output, Filter(condition, changes)), of = pin, session)
    val (count, rows) = where(Not(isDeleted))
    val relation = fitting(pin, count)(JoinRelations.incremental(
        mode, base.broadcast)(count -> within(pin, rows), where(isDeleted)))
    val broadcast = SessionInternals.broadcast(session.sparkContext, relation)
    bases.put(broadcast, base.broadcast)
    BuiltReplica(broadcast, pin.version.flatMap(_.rows).getOrElse(base.rows + count),
      base.bytes + JoinRelations.size(relation), Replicas.msSince(started),
      Some(ChangedReplica(version, base, JoinRelations.serializedSize(relation))))
  }

  /**
   * Runs a plan; returns the number of rows, and the rows.
   *
   * @param of the plan of the replica, whose limits hold
   */
  private def collect(
      plan: LogicalPlan,
      of: LogicalPlan,
      session: SparkSession): (Long, Iterator[InternalRow]) = {
    val limit = limits(of).map(_.maxRows).min
    val (count, rows) =
      try SQLExecution.withSQLConfPropagated(session) {
          JoinRelations.collect(physical(plan, session))
        }
      catch {
        case NonFatal(e) if ResultSize.isExceeded(e) =>
          throw SizeLimit.exceeded(
            label(of), "more than the driver takes", ResultSize.KEY, Some(e))
      }
    if (count > limit) {
      throw SizeLimit.exceeded(label(of), s"$count rows", s"MAX ROWS $limit")
    }
    (count, rows)
  }

  /**
   * Plans without a second analysis, because the optimizer writes plans that the analyzer rejects,
   * such as the rank of unordered rows for a LIMIT of each group.
   */
  private def physical(plan: LogicalPlan, session: SparkSession): SparkPlan = {
    val rows = plan.transform { case pin: PinnedTable =>
      pin.version.flatMap(pin.table.driverRows(_, pin.output)).getOrElse(pin.scan(session))
    }
    QueryExecution.prepareExecutedPlan(session, session.sessionState.optimizer.execute(rows))
  }

  /** Passes the rows on; fails as soon as they exceed MAX BYTES. */
  private def within(plan: LogicalPlan, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val limit = limits(plan).map(_.maxBytes).min
    var bytes = 0L
    rows.map { row =>
      bytes += row.asInstanceOf[UnsafeRow].getSizeInBytes
      if (bytes > limit) {
        throw SizeLimit.exceeded(
          label(plan), s"more than $limit bytes of rows", s"MAX BYTES $limit")
      }
      row
    }
  }

  private def fitting(plan: LogicalPlan, count: Long)(build: => Any): Any =
    try build
    catch {
      case e: RelationTooLarge =>
        throw SizeLimit.exceeded(
          label(plan), s"$count rows", "the memory of the driver, or 8 GiB", Some(e.getCause))
    }

  private def limits(plan: LogicalPlan): Seq[GlobalTableOptions] =
    PinnedTable.in(plan).map(_.table.options)

  private def label(plan: LogicalPlan): String =
    PinnedTable.in(plan).map(_.id.shortName).distinct.mkString(", ")
}

private object Replicas {
  private val THREADS = 2
  private val MAX_DERIVED = 32

  /** Maximum number of orders of key columns that are compared with those of a lookup. */
  private val MAX_ORDERS = 24

  private def msSince(nanos: Long): Long = (System.nanoTime - nanos) / 1000000
}
