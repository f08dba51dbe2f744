package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}

import io.eddyline.spark.assume.check.VerifyLayoutExec
import io.eddyline.spark.assume.claim.{ClaimText, DroppedClaim, DroppedClaims}
import io.eddyline.spark.assume.report.ReportClaims
import io.eddyline.spark.assume.units._
import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.shim.PlanShim

/**
 * Shuffles the rows of a claimed scan that another extension, such as a native engine, has replaced
 * although [[units.ThirdPartyScans]] did not expect it. The operator in its place does not read by
 * units. The shuffle makes the promised partitioning, so the plan above stays valid.
 *
 * The rule runs as a query stage preparation rule, and again after all columnar rules and
 * transitions, since other extensions replace scans in both phases. Until then the node of the
 * claim takes only rows, so that Spark converts the vectors of a replaced scan below it.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.INVALID_OPTION for a layout, which no shuffle can produce;
 * those of [[ReportClaims]].
 */
object ShuffleReplacedScans extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    val shuffled = plan.transformUp {
      case VerifyLayoutExec(_, _, child) if child.exists(isReplaced) => child
    }.transformUp {
      case units: UnitScanExec if units.isReplaced => withoutUnits(units)
    }
    if (!(shuffled eq plan)) ReportClaims.requireNoneDropped(shuffled)
    shuffled
  }

  object AfterTransitions extends ColumnarRule {
    override def postColumnarTransitions: Rule[SparkPlan] = ShuffleReplacedScans
  }

  private def isReplaced(plan: SparkPlan): Boolean = plan match {
    case units: UnitScanExec => units.isReplaced
    case _ => false
  }

  private def withoutUnits(units: UnitScanExec): SparkPlan = {
    val reason = ThirdPartyScans.reason(units.child.collectLeaves().head)
    val rows =
      if (!units.used) units.child
      else ShuffleExchangeExec(promised(units, reason), units.child, REPARTITION_BY_NUM)
    DroppedClaims.put(rows,
      Seq(DroppedClaim(
          units.keys, units.layout, Some(ClaimText.relation(units.scan)), reason, units.origin)))
    rows
  }

  /** Returns the partitioning that the claim has promised, as one that a shuffle can make. */
  private def promised(units: UnitScanExec, reason: String): Partitioning =
    units.outputPartitioning match {
      case unknown if unknown.numPartitions == 0 => SinglePartition
      case AssumedPartitioning(keys, numPartitions, _) => TryKey.hashed(keys, numPartitions)
      case HashPartitioning(keys, numPartitions) => TryKey.hashed(keys, numPartitions)
      case _: PlanShim.Keyed if units.columns.isEmpty =>
        EddylineErrors.fail("EDDYLINE_ASSUME.INVALID_OPTION", units.origin,
          "option" -> units.layout.sql.trim, "reason" -> reason, "hint" -> "Leave LAYOUT out.")
      case known => known
    }
}
