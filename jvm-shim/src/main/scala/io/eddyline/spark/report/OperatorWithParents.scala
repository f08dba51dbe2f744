package io.eddyline.spark.report

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/**
 * An operator of a plan, and the operators above it.
 *
 * @param parents the operators above it, nearest first, without the wrappers of adaptive execution
 *                and of generated code
 */
private[report] case class OperatorWithParents(operator: SparkPlan, parents: List[SparkPlan])

private[report] object OperatorWithParents {

  /** Returns all operators of a plan in the order in which EXPLAIN prints them, subqueries last. */
  def collectFrom(plan: SparkPlan): Seq[OperatorWithParents] = visit(plan, Nil)

  private def visit(plan: SparkPlan, parents: List[SparkPlan]): Seq[OperatorWithParents] = {
    val path = if (isWrapper(plan)) parents else plan :: parents
    val own = if (isWrapper(plan)) Nil else Seq(OperatorWithParents(plan, parents))
    own ++ inputs(plan).flatMap(visit(_, path)) ++ plan.subqueries.flatMap(visit(_, Nil))
  }

  /** Returns the operators whose rows an operator reads; of an adaptive plan those that run. */
  def inputs(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case adaptive: AdaptiveSparkPlanExec => Seq(adaptive.executedPlan)
    case stage: QueryStageExec => Seq(stage.plan)
    case command: CommandResultExec => Seq(command.commandPhysicalPlan)
    case _: ReusedExchangeExec => Nil
    case other => other.children
  }

  /** Whether an operator only wraps others and has no work of its own. */
  def isWrapper(plan: SparkPlan): Boolean = plan match {
    case _: AdaptiveSparkPlanExec | _: QueryStageExec | _: CommandResultExec |
        _: WholeStageCodegenExec | _: InputAdapter => true
    case _ => false
  }
}
