package io.eddyline.spark.assume.report

import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeLike, ValidateRequirements}

import io.eddyline.spark.assume.check.{VerifyClaimExec, VerifyLayoutExec}
import io.eddyline.spark.assume.claim._
import io.eddyline.spark.assume.claim.ClaimUse.Used
import io.eddyline.spark.assume.units.{NativeUnitsExec, UnitScanExec}

/**
 * Removes the reading by units and the check of a claim that saves no Exchange, so that it costs no
 * more than reading its keys. It runs after [[ReportClaims]], whose tags it reads. A claim by
 * Spark's hash stays if it satisfies the user's REPARTITION, which has then no Exchange.
 */
object RemoveUnusedClaims extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = plan match {
    case _: AdaptiveSparkPlanExec => plan
    case _ =>
      val without = plan.transformUp {
        case units: UnitScanExec
            if units.used && !ClaimState.of(units).outcomes.exists(_.isInstanceOf[Used]) &&
              !savesRepartition(units, plan) =>
          val scan = units.copy(used = false)(units.planned)
          scan.copyTagsFrom(units)
          scan
        case VerifyClaimExec(_, _, units: UnitScanExec, _) if !units.used => units
        case VerifyLayoutExec(_, _, units: UnitScanExec) if !units.used => units
      }
      if ((without eq plan) || !ValidateRequirements.validate(without)) plan
      else without.transformUp { case native: NativeUnitsExec => scanWithoutUnits(native) }
  }

  /** Returns the scan of an unused claim, which the extension then reads as any other. */
  private def scanWithoutUnits(native: NativeUnitsExec): SparkPlan = native.child match {
    case units: UnitScanExec if !units.used =>
      val reason = ClaimState.of(units).outcomes.flatMap(_.reason).mkString("; ")
      DroppedClaims.add(units.scan, units.scan,
        DroppedClaim(
          units.keys, units.layout, Some(ClaimText.relation(units.scan)), reason, units.origin))
    case _ => native
  }

  /** Whether the query has a REPARTITION above a claim by a hash, and no Exchange for it. */
  private def savesRepartition(units: UnitScanExec, plan: SparkPlan): Boolean =
    units.layout.hashed && plan.collectFirst(Function.unlift(_.logicalLink)).exists(_.exists {
      case repartition: RepartitionByExpression =>
        repartition.exists {
          case claim: AssumePartitionedBy => claim.layout == units.layout
          case _ => false
        } && !plan.exists(node =>
          node.isInstanceOf[ShuffleExchangeLike] && node.logicalLink.exists(_ eq repartition))
      case _ => false
    })
}
