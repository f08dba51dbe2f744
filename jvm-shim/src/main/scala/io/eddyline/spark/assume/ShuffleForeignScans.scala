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
 * by an operator of its own although [[units.OtherReaders]] did not expect it: that reads the files
 * without their units. The shuffle produces the partitioning that the claim has promised, so the
 * plan above stays valid.
 *
 * It runs as a query stage preparation rule, and again after all columnar rules and transitions,
 * since other extensions replace scans in either phase. Until then the node takes only rows, so
 * that Spark converts the vectors of a replaced scan below it.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.INVALID_OPTION for a layout, which no shuffle can produce;
 * those of [[ReportClaims]].
 */
object ShuffleForeignScans extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    val shuffled = plan.transformUp {
      case VerifyLayoutExec(_, _, child) if child.exists(isForeign) => child
    }.transformUp {
      case units: UnitScanExec if units.isForeign => withoutUnits(units)
    }
    if (!(shuffled eq plan)) ReportClaims.requireNoneDropped(shuffled)
    shuffled
  }

  object AfterTransitions extends ColumnarRule {
    override def postColumnarTransitions: Rule[SparkPlan] = ShuffleForeignScans
  }

  private def isForeign(plan: SparkPlan): Boolean = plan match {
    case units: UnitScanExec => units.isForeign
    case _ => false
  }

  private def withoutUnits(units: UnitScanExec): SparkPlan = {
    val reason = OtherReaders.reason(units.child.collectLeaves().head)
    val rows =
      if (!units.used) units.child
      else ShuffleExchangeExec(promised(units, reason), units.child, REPARTITION_BY_NUM)
    DroppedClaims.put(rows,
      Seq(DroppedClaim(
          units.keys, units.layout, Some(ClaimText.relation(units.scan)), reason, units.origin)))
    rows
  }

  private def promised(units: UnitScanExec, reason: String): Partitioning =
    units.outputPartitioning match {
      case unknown if unknown.numPartitions == 0 => SinglePartition
      case AssumedPartitioning(keys, numPartitions, _) => KeyOrNull.hashed(keys, numPartitions)
      case HashPartitioning(keys, numPartitions) => KeyOrNull.hashed(keys, numPartitions)
      case _: PlanShim.Keyed if units.columns.isEmpty =>
        EddylineErrors.fail("EDDYLINE_ASSUME.INVALID_OPTION", units.origin,
          "option" -> units.layout.sql.trim, "reason" -> reason, "hint" -> "Leave LAYOUT out.")
      case known => known
    }
}
