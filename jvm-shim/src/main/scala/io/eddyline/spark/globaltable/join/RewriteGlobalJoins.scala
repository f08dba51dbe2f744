package io.eddyline.spark.globaltable.join

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Puts Spark's broadcast hint on the global side of a join. [[PlanGlobalJoins]] plans such a join
 * as a lookup; where it does not, Spark broadcasts the pinned version.
 *
 * Another hint on a global table is ignored, with a warning: no join is cheaper than a lookup.
 */
object RewriteGlobalJoins extends Rule[LogicalPlan] with Logging {
  private val BROADCAST_HINT = Some(HintInfo(Some(BROADCAST)))

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case join: Join => GlobalSide.of(join) match {
        case Some(BuildRight) if !isBroadcast(join.hint.rightHint) =>
          hinted(join, JoinHint(None, BROADCAST_HINT))
        case Some(BuildLeft) if !isBroadcast(join.hint.leftHint) =>
          hinted(join, JoinHint(BROADCAST_HINT, None))
        case _ => join
      }
  }

  private def isBroadcast(hint: Option[HintInfo]): Boolean =
    hint.exists(_.strategy.contains(BROADCAST))

  private def hinted(join: Join, hint: JoinHint): Join = {
    val others = (join.hint.leftHint ++ join.hint.rightHint).flatMap(_.strategy)
    others.filterNot(_ == BROADCAST).foreach(strategy =>
      logWarning(s"The hint $strategy is ignored: one side of the join is global"))
    join.copy(hint = hint)
  }
}
