package io.eddyline.spark.report

import java.util.{Collections, IdentityHashMap}

import org.apache.spark.sql.catalyst.optimizer.BuildLeft
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.joins._

import io.eddyline.spark.assume.check.VerifyExec
import io.eddyline.spark.assume.claim.{Claim, ClaimState, ClaimText}
import io.eddyline.spark.assume.report.ClaimReport
import io.eddyline.spark.base.RealTime
import io.eddyline.spark.cogroup.CoGroupPlan
import io.eddyline.spark.emit.clause.{Emit, EmitStrategy}
import io.eddyline.spark.globaltable.join.{GlobalLookupExec, GlobalTableUses}

/**
 * Finds what became of each clause in a physical plan. It reads nodes, their tags and metrics, and
 * runs nothing. EXPLAIN, EXPLAIN CLAUSES and `eddyline.why` report its findings.
 */
object PlanReport {

  /** The parts of findings about a clause. Queries without a clause have an Exchange too. */
  private val CLAUSE_PARTS = Set("ASSUME", "COGROUP", "EMIT", "GLOBAL TABLE")

  /** Whether a finding is about a clause. */
  private[report] def isOfClause(found: Finding): Boolean = found match {
    case fallback: FallbackFinding => CLAUSE_PARTS(fallback.clause)
    case _ => CLAUSE_PARTS(found.part)
  }

  private val CACHED = "CACHED"

  /** Returns the findings of a plan, by part. Those of a plan that has run have its metrics. */
  def of(plan: SparkPlan): Seq[Finding] = {
    val places = OperatorWithParents.collectFrom(plan)
    val claims = ClaimReport.of(plan)
    val (groups, emits, tables) = clauses(places)
    claims.flatMap(claim => claim.uses.map(ClaimFinding(claim, _))) ++
      groups ++ emits ++ tables ++
      places.flatMap(StateOperators.of) ++
      Exchanges.savedBy(claims) ++ places.flatMap(Exchanges.of) ++
      places.flatMap(fallenBack) ++ groups.flatMap(fallback) ++ tables.flatMap(fallback) ++
      places.flatMap(cached) ++ NativeOperators.of(places)
  }

  /** Returns the lines of eddyline's section in EXPLAIN, which Spark asks of every query. */
  def lines(plan: SparkPlan): Seq[String] = {
    val (groups, emits, tables) = clauses(OperatorWithParents.collectFrom(plan))
    val summaries = groups.map(_.summary) ++ emits.map(_.summary) ++ tables.map(_.summary)
    (ClaimReport.of(plan).map(summary) ++ summaries).distinct
  }

  private def clauses(places: Seq[OperatorWithParents])
      : (Seq[CoGroupFinding], Seq[EmitFinding], Seq[GlobalTableFinding]) = {
    val logical = logicalNodes(places.map(_.operator))
    val isRealTime = places.exists(place => RealTime.isSource(place.operator))
    (logical.flatMap(CoGroupPlan.of).distinct.map(CoGroupFinding), emits(logical, isRealTime),
      places.flatMap(globalTables(_, isRealTime)))
  }

  private def summary(claim: Claim): String = {
    val units = claim.units.fold("")(n => s", $n units")
    s"ASSUME PARTITIONED BY (${claim.keys})${claim.layout.sql} on ${claim.relation}, " +
      s"${claim.proof}$units: " + claim.uses.mkString("; ")
  }

  /** The nodes of the optimized plan from which operators were planned. */
  private def logicalNodes(operators: Seq[SparkPlan]): Seq[LogicalPlan] = {
    val seen = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    def visit(node: LogicalPlan): Seq[LogicalPlan] =
      if (seen.add(node)) node +: (node.children ++ node.subqueries).flatMap(visit) else Nil
    operators.flatMap(_.logicalLink).flatMap(visit)
  }

  private def emits(logical: Seq[LogicalPlan], isRealTime: Boolean): Seq[EmitFinding] =
    logical.collect {
      case emit: Emit =>
        EmitFinding(emit.sql, "USED", Option.when(isRealTime)(realTimeReason(emit)))
    }.distinct ++
      logical.flatMap(Emit.removedClause).distinct.map(
        EmitFinding(_, "REMOVED", Some("a batch query reports each key once, at its end")))

  private def realTimeReason(emit: Emit): String = emit.strategy match {
    case EmitStrategy.OnChange => "a record that changes a result gives its row when it comes"
    case _ => "each record gives a row when it comes"
  }

  private def globalTables(place: OperatorWithParents, isRealTime: Boolean)
      : Seq[GlobalTableFinding] = {
    val join = place.parents.collectFirst { case join: BaseJoinExec => join }
    GlobalTableUses.of(place.operator).map { use =>
      val reason =
        if (use.keys.isEmpty) {
          join.fold(Option("no join looks it up"))(GlobalTableUses.whyNoLookup)
        } else {
          Option.when(isRealTime)(place.operator match {
            case lookup: GlobalLookupExec if lookup.follows =>
              "new versions are seen in a micro-batch"
            case _ => "a micro-batch keeps the version of its beginning"
          })
        }
      GlobalTableFinding(use, join.map(_.joinType.sql), join.map(side(_, place)), reason)
    }
  }

  private def side(join: BaseJoinExec, place: OperatorWithParents): String = {
    val built = join match {
      case hash: BroadcastHashJoinExec => Some(hash.buildSide)
      case nested: BroadcastNestedLoopJoinExec => Some(nested.buildSide)
      case _ => None
    }
    val isLookup = GlobalTableUses.of(place.operator).exists(_.keys.isDefined)
    val isLeft = built.filter(_ => isLookup).fold(
      OperatorWithParents.collectFrom(join.left).exists(_.operator eq place.operator))(
      _ == BuildLeft)
    if (isLeft) "LEFT" else "RIGHT"
  }

  /** Returns a finding about a claim that was not confirmed, so that its rows were shuffled. */
  private def fallenBack(place: OperatorWithParents): Option[FallbackFinding] =
    place.operator match {
      case check: VerifyExec if check.metrics.get("fellBack").exists(_.value > 0) =>
        val verdict = ClaimState.of(check).verdict.getOrElse("the check did not finish")
        Some(FallbackFinding("ASSUME", ClaimText.keys(check.keys), "SHUFFLED", verdict))
      case _ => None
    }

  /** Returns findings about the clauses of a cached relation, whose plan does not run again. */
  private def cached(place: OperatorWithParents): Seq[FallbackFinding] = place.operator match {
    case scan: InMemoryTableScanExec =>
      of(scan.relation.cachedPlan).collect {
        case cached: FallbackFinding if cached.outcome == CACHED => cached
        case found if CLAUSE_PARTS(found.part) =>
          FallbackFinding(found.part, found.subject, CACHED, "its rows are read from the cache")
      }.distinct
    case _ => Nil
  }

  private def fallback(group: CoGroupFinding): Option[FallbackFinding] =
    Option.when(group.plan.strategy.isFallback)(
      FallbackFinding(group.part, group.subject, group.outcome, group.plan.strategy.reason))

  private def fallback(table: GlobalTableFinding): Option[FallbackFinding] =
    table.reason.filter(_ => table.use.keys.isEmpty && table.join.isDefined)
      .map(FallbackFinding(table.part, table.subject, table.outcome, _))
}
