package io.eddyline.spark.assume.report

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import io.eddyline.spark.assume.check.VerifyExec
import io.eddyline.spark.assume.claim._
import io.eddyline.spark.assume.claim.ClaimUse.Dropped
import io.eddyline.spark.assume.units.{DerivedClaimExec, StreamUnitsExec, UnitScanExec}

/** Lists the claims of a physical plan and their outcomes for EXPLAIN and `eddyline.why`. */
private[spark] object ClaimReport {

  /** Returns all claims of a plan, in the order in which EXPLAIN prints its operators. */
  def of(plan: SparkPlan): Seq[Claim] = {
    val own = plan match {
      case unit: UnitScanExec =>
        Seq(Claim(ClaimText.keys(unit.keys), unit.layout, ClaimText.relation(unit.scan),
            unit.proof.name, Some(unit.numUnits), ClaimState.of(unit).outcomes))
      case stream: StreamUnitsExec =>
        Seq(Claim(ClaimText.sql(stream.keys), stream.layout, stream.relation,
            Proof.HashCheck.name, Some(stream.size), ClaimState.of(stream).outcomes))
      case derived: DerivedClaimExec =>
        Seq(Claim(ClaimText.keys(derived.keys), Layout.Unnumbered,
            ClaimText.operator(derived.source), Proof.Trusted.name, None,
            ClaimState.of(derived).outcomes))
      case _ => Nil
    }
    val dropped = DroppedClaims.at(plan).map { claim =>
      Claim(ClaimText.keys(claim.keys), claim.layout,
        claim.relation.getOrElse(relation(plan)), "none", None, Seq(Dropped(claim.reason)))
    }
    val inside = plan match {
      case adaptive: AdaptiveSparkPlanExec => of(adaptive.executedPlan)
      case stage: QueryStageExec => of(stage.plan)
      case _: ReusedExchangeExec => Nil
      case check: VerifyExec =>
        val verdict = ClaimState.of(check).verdict
        val time = verdict.map(_ => check.metrics("checkTime").value)
        check.children.flatMap(of).map(_.copy(verdict = verdict, checkTime = time))
      case other => other.children.flatMap(of)
    }
    dropped ++ own ++ inside ++ plan.subqueries.flatMap(of)
  }

  private def relation(plan: SparkPlan): String = plan match {
    case scan: FileSourceScanExec => ClaimText.relation(scan)
    case other => ClaimText.operator(other)
  }
}
