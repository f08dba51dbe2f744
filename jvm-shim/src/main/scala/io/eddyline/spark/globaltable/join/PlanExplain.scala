package io.eddyline.spark.globaltable.join

import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.command._

/**
 * Plans EXPLAIN so that the plan which it shows is known to be never run. The logical plan stays
 * Spark's own command, which other extensions look for.
 */
object PlanExplain extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case explain: ExplainCommand => Seq(ExecutedCommandExec(OnlyShown(explain)))
    case _ => Nil
  }

  private case class OnlyShown(explain: ExplainCommand) extends LeafRunnableCommand {
    override def output: Seq[Attribute] = explain.output

    override def nodeName: String = explain.nodeName

    override def run(session: sql.SparkSession): Seq[Row] =
      PlanPurpose.explaining(explain.run(session))
  }
}
