package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.types.DataType

/**
 * Tells each [[CheckLayoutExec]] of the others of its layout, with keys of the same types, since a
 * key in unit 1 of one relation and in unit 2 of another breaks the claims only together. Under
 * adaptive execution it sees the plan of a stage, where all that can meet without an Exchange is.
 */
object PairLayouts extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = plan => {
    val own = plan.collect { case check: CheckLayoutExec => check }
    if (own.nonEmpty) {
      val sides = checks(plan).groupBy(kind)
      own.foreach(check => check.setTagValue(CheckLayoutExec.SIDES, sides(kind(check))))
    }
    plan
  }

  private def kind(check: CheckLayoutExec): (Option[String], Seq[DataType]) =
    (check.units.layout.id, check.keys.map(_.dataType))

  /** A cached relation keeps the partitioning of its plan. */
  private def checks(plan: SparkPlan): Seq[CheckLayoutExec] = plan match {
    case check: CheckLayoutExec => Seq(check)
    case memory: InMemoryTableScanExec => checks(memory.relation.cachedPlan)
    case adaptive: AdaptiveSparkPlanExec => checks(adaptive.executedPlan)
    case stage: QueryStageExec => checks(stage.plan)
    case other => other.children.flatMap(checks)
  }
}
