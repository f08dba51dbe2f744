package io.eddyline.spark.report

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/**
 * An operator of a plan, and the operators that it feeds.
 *
 * @param above the operators above it, nearest first, without the frames of adaptive execution and
 *              of generated code
 */
private[report] case class OperatorWithParents(operator: SparkPlan, above: List[SparkPlan])

private[report] object OperatorWithParents {

  /** Returns the operators of a plan in the order of its text, subqueries last. */
  def in(plan: SparkPlan): Seq[OperatorWithParents] = visit(plan, Nil)

  private def visit(plan: SparkPlan, above: List[SparkPlan]): Seq[OperatorWithParents] = {
    val path = if (isFrame(plan)) above else plan :: above
    val own = if (isFrame(plan)) Nil else Seq(OperatorWithParents(plan, above))
    own ++ below(plan).flatMap(visit(_, path)) ++ plan.subqueries.flatMap(visit(_, Nil))
  }

  /** The operators whose rows an operator reads, as they run. */
  def below(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case adaptive: AdaptiveSparkPlanExec => Seq(adaptive.executedPlan)
    case stage: QueryStageExec => Seq(stage.plan)
    case command: CommandResultExec => Seq(command.commandPhysicalPlan)
    case _: ReusedExchangeExec => Nil
    case other => other.children
  }

  /** Whether an operator only frames others: it has no work of its own. */
  def isFrame(plan: SparkPlan): Boolean = plan match {
    case _: AdaptiveSparkPlanExec | _: QueryStageExec | _: CommandResultExec |
        _: WholeStageCodegenExec | _: InputAdapter => true
    case _ => false
  }
}
