package io.eddyline.spark.assume.report

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}

import io.eddyline.spark.assume.claim.{ClaimState, ClaimText, DroppedClaims}
import io.eddyline.spark.assume.claim.ClaimUse.Used
import io.eddyline.spark.assume.units.ClaimExec
import io.eddyline.spark.base.{EddylineConf, EddylineErrors}

/**
 * Tags each [[ClaimExec]] with the outcomes of its claim, after Spark has inserted every Exchange.
 * It runs as a query stage preparation rule, or without adaptive execution as a columnar rule.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.NOT_USED if `spark.eddyline.assume.strict` is set.
 */
object ReportClaims extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    if (!plan.isInstanceOf[AdaptiveSparkPlanExec]) {
      visit(plan, Nil)
      requireUsed(plan)
      requireNoneDropped(plan)
    }
    plan
  }

  /**
   * Reports the claims and removes the unused ones if adaptive execution is off. If it is on, this
   * rule gets only stages of plans whose claims have their tags already.
   */
  object WithoutAdaptive extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = plan =>
      if (plan.exists(isUnreported)) {
        RemoveUnusedClaims(ReportClaims(plan))
      } else {
        requireNoneDropped(plan)
        plan
      }

    private def isUnreported(plan: SparkPlan): Boolean = plan match {
      case claim: ClaimExec => ClaimState.of(claim).uses.isEmpty
      case _ => false
    }
  }

  private def visit(plan: SparkPlan, above: List[SparkPlan]): Unit = {
    plan match {
      case claim: ClaimExec =>
        ClaimState.update(claim)(_.copy(uses = Some(ClaimUses.of(claim, above))))
      case _ =>
    }
    plan.children.foreach(visit(_, plan :: above))
  }

  private def requireUsed(plan: SparkPlan): Unit = if (isStrict(plan)) {
    plan.collect { case unit: ClaimExec => unit -> ClaimState.of(unit).outcomes }
      .find { case (_, uses) => !uses.exists(_.isInstanceOf[Used]) }
      .foreach { case (unit, uses) =>
        notUsed(unit.keys, uses.flatMap(_.reason).headOption.mkString, unit.origin)
      }
  }

  private[assume] def requireNoneDropped(plan: SparkPlan): Unit = if (isStrict(plan)) {
    plan.foreach(DroppedClaims.at(_).headOption.foreach(claim =>
        notUsed(claim.keys, claim.reason, claim.origin)))
  }

  /**
   * Whether unused claims are errors in this plan. They are not in a plan that adaptive execution
   * has changed after a stage has run, since it depends on the data.
   */
  private def isStrict(plan: SparkPlan): Boolean =
    conf.getConf(EddylineConf.ASSUME_STRICT) && !plan.exists(_.isInstanceOf[QueryStageExec])

  private def notUsed(keys: Seq[Expression], reason: String, origin: Origin): Nothing =
    EddylineErrors.fail("EDDYLINE_ASSUME.NOT_USED", origin,
      "keys" -> ClaimText.keys(keys), "reason" -> reason)
}
