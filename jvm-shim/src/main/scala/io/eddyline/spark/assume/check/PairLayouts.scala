package io.eddyline.spark.assume.check

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.adaptive._
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.types.DataType

/**
 * Tells each [[VerifyLayoutExec]] of the others of its layout, with keys of the same types, since a
 * key in unit 1 of one relation and in unit 2 of another breaks the claims only together. They are
 * those of a stage: relations between which an Exchange stands do not meet by their units.
 */
object PairLayouts extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = plan => paired(plan.transformUp {
    case exchange: Exchange => exchange.withNewChildren(Seq(paired(exchange.child)))
  })

  private def paired(plan: SparkPlan): SparkPlan = {
    val sides = checks(plan).groupBy(kind)
    val own = inStage(plan).collect { case check: VerifyLayoutExec => check }
    own.foreach(check => check.setTagValue(VerifyLayoutExec.SIDES, sides(kind(check))))
    val unseen = sides -- own.map(kind)
    unseen.values.filter(_.size > 1).foldLeft(plan)(checkedTogether)
  }

  /** Where all relations of a layout are cached, each was checked by itself. */
  private def checkedTogether(plan: SparkPlan, cached: Seq[VerifyLayoutExec]): SparkPlan = {
    val first = inStage(plan).collectFirst {
      case leaf @ (_: InMemoryTableScanExec | _: TableCacheQueryStageExec)
        if checks(leaf).exists(cached.contains) => leaf
    }
    plan.transformUp { case leaf if first.exists(_ eq leaf) =>
      val check = VerifyLayoutExec(cached.head.keys, cached.head.enforcement, leaf)
      check.setTagValue(VerifyLayoutExec.SIDES, cached)
      check
    }
  }

  private def kind(check: VerifyLayoutExec): (Option[String], Seq[DataType]) =
    (check.units.layout.id, check.keys.map(_.dataType))

  private def inStage(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case _: Exchange => Nil
    case other => other +: other.children.flatMap(inStage)
  }

  /** A cached relation keeps the partitioning of its plan. */
  private def checks(plan: SparkPlan): Seq[VerifyLayoutExec] = inStage(plan).flatMap {
    case check: VerifyLayoutExec => Seq(check)
    case memory: InMemoryTableScanExec => checks(memory.relation.cachedPlan)
    case adaptive: AdaptiveSparkPlanExec => checks(adaptive.executedPlan)
    case stage: QueryStageExec => checks(stage.plan)
    case _ => Nil
  }
}
