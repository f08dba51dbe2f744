package io.eddyline.spark.globaltable.join

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.optimizer.JoinSelectionHelper
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Puts Spark's broadcast hint on the global side of a join. [[PlanGlobalJoins]] plans such a join
 * as a lookup; where it does not, Spark broadcasts the pinned version.
 *
 * Another hint on a global table is ignored, with a warning: no join is cheaper than a lookup.
 */
object RewriteGlobalJoins extends Rule[LogicalPlan] with JoinSelectionHelper with Logging {
  private val BROADCAST_HINT = HintInfo(Some(BROADCAST))

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case join @ Join(left, right, joinType, _, hint)
        if GlobalSide.is(right) && !GlobalSide.is(left) && canBuildBroadcastRight(joinType) &&
          !isBroadcast(hint.rightHint) =>
      warn(join, hint)
      join.copy(hint = JoinHint(None, Some(BROADCAST_HINT)))
    case join @ Join(left, right, joinType, _, hint)
        if GlobalSide.is(left) && !GlobalSide.is(right) && canBuildBroadcastLeft(joinType) &&
          !isBroadcast(hint.leftHint) =>
      warn(join, hint)
      join.copy(hint = JoinHint(Some(BROADCAST_HINT), None))
  }

  private def isBroadcast(hint: Option[HintInfo]): Boolean =
    hint.exists(_.strategy.contains(BROADCAST))

  private def warn(join: Join, hint: JoinHint): Unit =
    (hint.leftHint ++ hint.rightHint).flatMap(_.strategy).filterNot(_ == BROADCAST).foreach {
      strategy => logWarning(s"The hint $strategy is ignored: one side of the join is global")
    }
}
