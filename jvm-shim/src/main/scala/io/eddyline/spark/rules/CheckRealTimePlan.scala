package io.eddyline.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.streaming.runtime.RealTimeModeAllowlist
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{EddylineErrors, RealTime, RowAtATimeOperator}

/**
 * Checks the plan of a micro-batch in real-time mode in which operators of eddyline stand. Spark
 * runs only operators on a list, which no extension can add to, so its check has to be off. Then
 * Spark's list decides here about all other operators.
 *
 * Errors: EDDYLINE_EMIT.REAL_TIME_CHECK, at the clause of the operator; Spark's own for other
 * operators. START STREAMING QUERY switches the check off for its own query, so the first is about
 * queries of programs.
 */
private[rules] object CheckRealTimePlan extends ColumnarRule {

  private val IS_CHECKED = SQLConf.STREAMING_REAL_TIME_MODE_ALLOWLIST_CHECK

  override def postColumnarTransitions: Rule[SparkPlan] = plan => {
    if (RealTime.readsStream(plan)) plan.find(isOwn).foreach(check(plan, _))
    plan
  }

  private def check(plan: SparkPlan, own: SparkPlan): Unit = {
    if (SQLConf.get.getConf(IS_CHECKED)) {
      EddylineErrors.fail("EDDYLINE_EMIT.REAL_TIME_CHECK", own.origin,
        "operator" -> own.nodeName, "conf" -> IS_CHECKED.key)
    }
    val others = plan.transformUp { case own if isOwn(own) => own.children.head }
    RealTimeModeAllowlist.checkAllowedPhysicalOperator(others, throwException = true)
  }

  private def isOwn(plan: SparkPlan): Boolean = plan.isInstanceOf[RowAtATimeOperator]
}
