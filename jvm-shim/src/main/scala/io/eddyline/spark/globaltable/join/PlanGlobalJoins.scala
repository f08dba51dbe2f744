package io.eddyline.spark.globaltable.join

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer._
import org.apache.spark.sql.catalyst.planning._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.trees.TreePattern.LOGICAL_QUERY_STAGE
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

import io.eddyline.spark.assume.claim.{DroppedClaim, DroppedClaims}
import io.eddyline.spark.base.{EddylineConf, EddylineErrors}
import io.eddyline.spark.globaltable.refresh.GlobalTables
import io.eddyline.spark.globaltable.replica.ReplicaKey
import io.eddyline.spark.globaltable.version.PinnedTable

/**
 * Plans a join with a global side as a lookup in its replica: Spark's own broadcast join, with a
 * [[GlobalLookupExec]] instead of an exchange. Any other use of a pinned table scans its version.
 *
 * It leaves a join to Spark where Spark prunes partitions of the other side by the global one:
 * reading fewer files saves more than the broadcast costs.
 *
 * Errors, if the fallback is FAIL: EDDYLINE_GLOBAL_TABLE.JOIN_TYPE and NO_LOOKUP.
 */
case class PlanGlobalJoins(session: SparkSession)
  extends SparkStrategy with JoinSelectionHelper with Logging {
  import GlobalSide.ReplicatedSide

  private val MANY_ROWS = 10000L

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case join: Join if join.children.forall(side => GlobalSide.is(withoutStages(side))) =>
      GlobalTableUses.notLookedUp(join, "both sides of the join are global tables")
      Nil
    case join: Join => GlobalSide.of(join) match {
        case Some(build) if prunes(join, build) =>
          GlobalTableUses.notLookedUp(join, "Spark prunes partitions of the other side by its rows")
          Nil
        case Some(build) => Seq(lookupWithoutClaims(join, build))
        case None =>
          if (join.children.exists(GlobalSide.is)) {
            fallBack(join, "JOIN_TYPE", s"a ${typeOf(join)} join keeps its unmatched rows",
              "joinType" -> typeOf(join))
          } else if (join.children.count(GlobalSide.readsOnlyTables) == 1) {
            fallBack(join, "NO_LOOKUP", "its side is not deterministic or has a subquery")
          }
          Nil
      }
    case PhysicalOperation(fields, filters, pinned: PinnedTable) =>
      Seq(planLater(scan(fields, filters, pinned)))
    case _ => Nil
  }

  /** Returns the plan with what adaptive execution has run already as it was before. */
  private def withoutStages(plan: LogicalPlan): LogicalPlan =
    plan.transformWithPruning(_.containsPattern(LOGICAL_QUERY_STAGE)) {
      case stage: LogicalQueryStage => withoutStages(stage.logicalPlan)
    }

  /** Whether Spark prunes partitions of the other side by the rows of the global one. */
  private def prunes(join: Join, build: BuildSide): Boolean = {
    val (global, other) = build match {
      case BuildLeft => (join.left, join.right)
      case BuildRight => (join.right, join.left)
    }
    val columns = AttributeSet(global.collectLeaves().flatMap(_.output))
    other.exists(_.expressions.exists(_.exists {
      case pruning: DynamicPruningSubquery =>
        pruning.buildQuery.collectLeaves().exists(_.outputSet.intersect(columns).nonEmpty)
      case _ => false
    }))
  }

  /** Plans a lookup; it shuffles nothing, so claims about its side are dropped and reported. */
  private def lookupWithoutClaims(join: Join, build: BuildSide): SparkPlan = {
    val (side, dropped) = DroppedClaim.strip(if (build == BuildLeft) join.left else join.right)
    val planned = lookup(
      if (build == BuildLeft) join.copy(left = side) else join.copy(right = side), build)
    planned.collect { case lookup: GlobalLookupExec => lookup }
      .filter(_ => dropped.nonEmpty).foreach(DroppedClaims.put(_, dropped))
    planned
  }

  private def lookup(join: Join, build: BuildSide): SparkPlan = join match {
    case ExtractSingleColumnNullAwareAntiJoin(leftKeys, rightKeys) if build == BuildRight =>
      val side = GlobalSide.replicateAll(join.right)
      val joined = BroadcastHashJoinExec(leftKeys, rightKeys, LeftAnti, BuildRight, None,
        planLater(join.left), planLater(side.replicated), isNullAwareAntiJoin = true)
      // for this join the operator, not the extractor, converts keys of collated strings
      val Seq(_, BroadcastDistribution(mode)) = joined.requiredChildDistribution
      joined.copy(right = replica(side, mode, rightKeys))
    case ExtractEquiJoinKeys(_, leftKeys, rightKeys, condition, _, _, _, _)
        if hashJoinSupported(leftKeys, rightKeys) =>
      hashed(join, leftKeys, rightKeys, condition, build)
    case _ => nested(join, build)
  }

  /** Plans a join of keys; the condition is what is left of the join's own. */
  private def hashed(
      join: Join,
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      condition: Option[Expression],
      build: BuildSide): SparkPlan = {
    val split = splitSide(join, build)
    val keys = (if (build == BuildLeft) leftKeys else rightKeys).map(split.over)
    val side = split.withSafeFilters(keys)
    val mode = ReplicaKey.mode(keys, side.replicated.output)
    val filters = side.filtersNotImpliedBy(keys) ++ condition.map(side.over)
    val lookedUp = replica(side, mode, keys)
    val joined = build match {
      case BuildRight => BroadcastHashJoinExec(leftKeys, keys, join.joinType, build,
          filters.reduceOption(And), planLater(join.left), lookedUp)
      case BuildLeft => BroadcastHashJoinExec(keys, rightKeys, join.joinType, build,
          filters.reduceOption(And), lookedUp, planLater(join.right))
    }
    withOutputOf(join, joined, side, build)
  }

  /** Plans a join without an equality: each row is compared with each row of the replica. */
  private def nested(join: Join, build: BuildSide): SparkPlan = {
    val side = splitSide(join, build)
    val filters = side.filters ++ join.condition.map(side.over)
    val lookedUp = replica(side, IdentityBroadcastMode, Nil)
    lookedUp.collectFirst { case lookup: GlobalLookupExec => lookup.pins }.toSeq.flatten
      .filter(_.version.flatMap(_.rows).exists(_ > MANY_ROWS)).foreach(pin =>
        logWarning(s"A join without an equality compares each row with all of ${pin.label}"))
    val (left, right) = build match {
      case BuildRight => (planLater(join.left), lookedUp)
      case BuildLeft => (lookedUp, planLater(join.right))
    }
    val joined =
      BroadcastNestedLoopJoinExec(left, right, build, join.joinType, filters.reduceOption(And))
    withOutputOf(join, joined, side, build)
  }

  private def splitSide(join: Join, build: BuildSide): ReplicatedSide =
    GlobalSide.split(
      if (build == BuildLeft) join.left else join.right,
      computes = join.joinType match {
        case _: InnerLike | LeftSemi | LeftAnti | _: ExistenceJoin => true
        case _ => false
      })

  /** Projects the replica's columns to those of the join; an outer join makes some nullable. */
  private def withOutputOf(
      join: Join, joined: SparkPlan, side: ReplicatedSide, build: BuildSide): SparkPlan =
    join.joinType match {
      case LeftSemi | LeftAnti | _: ExistenceJoin => joined
      case _ if side.fields.map(_.toAttribute) == side.replicated.output => joined
      case _ =>
        val fields = GlobalSide.nullableAs(side.fields, joined.output)
        ProjectExec(
          if (build == BuildRight) join.left.output ++ fields else fields ++ join.right.output,
          joined)
    }

  private def replica(side: ReplicatedSide, mode: BroadcastMode, keys: Seq[Expression])
      : SparkPlan = {
    val lookup =
      GlobalLookupExec(side.replicated.output, mode, keys, follows(mode), side.replicated)
    val reported = if (BatchVersions.isMicroBatch(session)) lookup.pins.distinctBy(_.id) else Nil
    reported.foldLeft[SparkPlan](lookup)((plan, pin) => new GlobalTableProgressExec(pin, plan))
  }

  /**
   * Whether lookups follow new versions while a micro-batch runs. A join without an equality and
   * one that must know of NULL keys take all rows of one version.
   */
  private def follows(mode: BroadcastMode): Boolean = mode match {
    case hashed: HashedRelationBroadcastMode =>
      !hashed.isNullAware && MicroBatch.isRealTime(session) &&
      !session.sessionState.conf.getConf(EddylineConf.GLOBAL_TABLE_FIXED_VERSION_PER_BATCH) &&
      GlobalTables.of(session).replicas.hasOwnRelations
    case _ => false
  }

  /** Returns an optimized scan, with filters and columns pushed down, that keeps the `exprId`s. */
  private def scan(
      fields: Seq[NamedExpression], filters: Seq[Expression], pinned: PinnedTable): LogicalPlan = {
    val version =
      if (pinned.version.isEmpty && PlanPurpose.isNeverRun) LocalRelation(pinned.output)
      else pinned.scan(session)
    val rows = filters.reduceOption(And).foldLeft(version) {
      (plan, condition) => Filter(condition, plan)
    }
    val optimized = session.sessionState.optimizer.execute(Project(fields, rows))
    val named = optimized.output.zip(fields).map {
      case (found, field) if found.exprId == field.exprId => found
      case (found, field) => Alias(found, field.name)(exprId = field.exprId)
    }
    if (named == optimized.output) optimized else Project(named, optimized)
  }

  private def typeOf(join: Join): String = join.joinType match {
    case _: ExistenceJoin => "LEFT EXISTENCE" // has no SQL in Spark
    case other => other.sql
  }

  /** Leaves a join to Spark, which reads its global tables by a scan, or raises a condition. */
  private def fallBack(
      join: Join, condition: String, reason: String, parameters: (String, String)*): Unit = {
    val tables = join.collectLeaves().collect { case pin: PinnedTable => pin.id.shortName }
      .distinct.mkString(", ")
    session.sessionState.conf.getConf(EddylineConf.GLOBAL_TABLE_FALLBACK) match {
      case "FAIL" => EddylineErrors.fail(s"EDDYLINE_GLOBAL_TABLE.$condition", join.origin,
          parameters :+ ("tables" -> tables): _*)
      case _ =>
        logWarning(s"A ${typeOf(join)} join reads $tables by a scan: $reason")
        GlobalTableUses.notLookedUp(join, reason)
    }
  }
}
