package io.eddyline.spark.globaltable.join

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.{BroadcastMode, BroadcastPartitioning}
import org.apache.spark.sql.execution.{LeafExecNode, SQLExecution}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.eddyline.spark.globaltable.catalog.SessionSettings
import io.eddyline.spark.globaltable.refresh.GlobalTables
import io.eddyline.spark.globaltable.replica.{Replica, Replicas}
import io.eddyline.spark.globaltable.version.PinnedTable

/**
 * The build side of a broadcast join whose rows each executor has: a replica of a global table.
 *
 * It is a leaf and not an exchange, so it is not a query stage of an adaptive plan, and nothing is
 * sent or built for a query whose replica exists. A missing one is built from `prepare` on.
 *
 * @param keys the keys of the lookup, for EXPLAIN; empty: each row is compared with all rows
 * @param follows whether lookups of a running task see new versions, as in real-time mode
 * @param plan the plan of the replica's rows, over [[PinnedTable]]s
 */
case class GlobalLookupExec(
    output: Seq[Attribute],
    mode: BroadcastMode,
    keys: Seq[Expression],
    follows: Boolean,
    @transient plan: LogicalPlan)
  extends LeafExecNode {
  override lazy val metrics: Map[String, SQLMetric] = Map(
    "hit" -> SQLMetrics.createMetric(sparkContext, "replica found"),
    "rows" -> SQLMetrics.createMetric(sparkContext, "rows in the replica"),
    "bytes" -> SQLMetrics.createSizeMetric(sparkContext, "size of the replica"),
    "buildTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to build the replica"),
    "age" -> SQLMetrics.createTimingMetric(sparkContext, "age of the version"))

  override def outputPartitioning: BroadcastPartitioning = BroadcastPartitioning(mode)

  override def nodeName: String = "GlobalLookup"

  /** The replica, and whether it existed already; transient, because tasks do not need it. */
  @transient private lazy val found: (Replica, Boolean) = replicas.get(plan, mode, settings)

  override protected def doPrepare(): Unit = found

  override def doExecuteBroadcast[T](): Broadcast[T] = {
    val (replica, isHit) = found
    val built = replica.get
    metrics("hit").set(if (isHit) 1 else 0)
    metrics("rows").set(built.rows)
    metrics("bytes").set(built.bytes)
    metrics("buildTime").set(if (isHit) 0 else built.buildMs)
    metrics("age").set(pins.flatMap(_.table.age).maxOption.getOrElse(0L))
    SQLMetrics.postDriverMetricUpdates(sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY), metrics.values.toSeq)
    val broadcast = if (follows) replicas.following(replica, session) else built.broadcast
    broadcast.asInstanceOf[Broadcast[T]]
  }

  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException("GlobalLookup is broadcast")

  override protected def doCanonicalize(): GlobalLookupExec = copy(
    output.map(QueryPlan.normalizeExpressions(_, output)),
    mode.canonicalized,
    keys.map(QueryPlan.normalizeExpressions(_, output)),
    follows,
    plan.canonicalized)

  /** Versions, keys, size, age, and whether the replica exists; does not build the replica. */
  override def simpleString(maxFields: Int): String =
    s"GlobalLookup ${uses.head.describe(pins.map(_.label).distinct.mkString(", "))}" +
      (if (follows) " follows new versions" else "")

  /** The tables that are looked up; of a join of several, each with the size of the whole. */
  def uses: Seq[GlobalTableUse] = {
    val known = replicas.find(plan, mode, settings)
    val built = known.flatMap(_.built)
    val rows = built.map(_.rows).orElse(pins.flatMap(_.version).flatMap(_.rows).headOption)
    val hasRun = !metrics("bytes").isZero
    val isHit = if (hasRun) metrics("hit").value == 1 else known.isDefined
    pins.distinctBy(_.label).map { pin =>
      GlobalTableUse(pin.id.shortName, pin.version.map(_.name), Some(keys.map(plain)), rows,
        built.map(_.bytes), pins.flatMap(_.table.age).maxOption, Some(isHit),
        pins.flatMap(_.table.lastError).headOption)
    }
  }

  private def plain(key: Expression): String = key.transform {
    case attribute: Attribute => attribute.withQualifier(Nil)
  }.sql

  /**
   * The settings of the replica: the table's if it has the table's own rows and columns as keys, so
   * that all sessions share it; else the session's, on which computed rows and keys may depend.
   */
  @transient private lazy val settings: Map[String, String] = plan match {
    case pinned: PinnedTable if keys.forall(_.isInstanceOf[Attribute]) =>
      pinned.settings
    case _ => SessionSettings.of(session)
  }

  private def replicas: Replicas = GlobalTables.of(session).replicas

  private[globaltable] def pins: Seq[PinnedTable] = PinnedTable.in(plan)
}
