package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.streaming.runtime.RealTimeModeAllowlist
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{EddylineErrors, RealTime, RowAtATimeOperator}

/**
 * Checks the plan of a micro-batch in real-time mode that has operators of eddyline. Spark checks
 * that all operators are on a list, to which no extension can add any, so that check must be off.
 * Then this rule checks all other operators by Spark's list.
 *
 * Errors: EDDYLINE_EMIT.REAL_TIME_CHECK, at the clause of the operator, if Spark's check is on
 * (START STREAMING QUERY switches it off for its query); Spark's own errors about other operators.
 */
private[rules] object CheckRealTimePlan extends ColumnarRule {

  private val SPARKS_CHECK = SQLConf.STREAMING_REAL_TIME_MODE_ALLOWLIST_CHECK

  override def postColumnarTransitions: Rule[SparkPlan] = plan => {
    if (RealTime.readsStream(plan)) plan.find(isEddylines).foreach(check(plan, _))
    plan
  }

  private def check(plan: SparkPlan, operator: SparkPlan): Unit = {
    if (SQLConf.get.getConf(SPARKS_CHECK)) {
      EddylineErrors.fail("EDDYLINE_EMIT.REAL_TIME_CHECK", operator.origin,
        "operator" -> operator.nodeName, "conf" -> SPARKS_CHECK.key)
    }
    val others = plan.transformUp { case ours if isEddylines(ours) => ours.children.head }
    RealTimeModeAllowlist.checkAllowedPhysicalOperator(others, throwException = true)
  }

  private def isEddylines(plan: SparkPlan): Boolean = plan.isInstanceOf[RowAtATimeOperator]
}
