package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}

import io.eddyline.spark.assume.claim.{ClaimText, DroppedClaim, DroppedClaims}
import io.eddyline.spark.assume.report.ReportClaims
import io.eddyline.spark.assume.units.{AssumedPartitioning, UnitScanExec}
import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.shim.PlanShim

/**
 * Shuffles the rows of a claimed scan that another extension, such as a native engine, has replaced
 * by an operator of its own: that reads the files without their units. The shuffle produces the
 * partitioning that the claim has promised, so the plan above stays valid.
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
      case units: UnitScanExec if units.isForeign => withoutUnits(units)
    }
    if (!(shuffled eq plan)) ReportClaims.requireNoneDropped(shuffled)
    shuffled
  }

  object AfterTransitions extends ColumnarRule {
    override def postColumnarTransitions: Rule[SparkPlan] = ShuffleForeignScans
  }

  private def withoutUnits(units: UnitScanExec): SparkPlan = {
    val reader = ClaimText.operator(units.child.collectLeaves().head)
    val reason = s"$reader reads the files, and knows of no units"
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
      case AssumedPartitioning(keys, numPartitions, _) => HashPartitioning(keys, numPartitions)
      case _: PlanShim.Keyed if units.columns.isEmpty =>
        throw EddylineErrors.analysis("EDDYLINE_ASSUME.INVALID_OPTION",
          Map(
            "option" -> units.layout.sql.trim,
            "reason" -> reason,
            "hint" -> "Leave LAYOUT out."),
          units.origin)
      case known => known
    }
}
