package io.eddyline.spark.assume.check

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.adaptive._
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.types.DataType

import io.eddyline.spark.assume.claim.ClaimState

/**
 * Tags each [[VerifyLayoutExec]] with all checks of its stage that have the same layout and key
 * types. They are checked together, since a key in unit 1 of one relation and in unit 2 of another
 * violates the claims only jointly. Relations with an Exchange between them are not co-partitioned
 * by their units, so they are checked separately.
 */
object PairLayouts extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = plan =>
    paired(plan.transformUp {
      case exchange: Exchange => exchange.withNewChildren(Seq(paired(exchange.child)))
    })

  private def paired(plan: SparkPlan): SparkPlan = {
    val sides = checks(plan).groupBy(kind)
    val own = inStage(plan).collect { case check: VerifyLayoutExec => check }
    own.foreach(check => ClaimState.update(check)(_.copy(sides = sides(kind(check)))))
    val unseen = sides -- own.map(kind)
    unseen.values.filter(_.size > 1).foldLeft(plan)(checkedTogether)
  }

  /**
   * Adds a check of all relations of a layout above the first of them if all are cached, because
   * each was checked only by itself when it was cached.
   */
  private def checkedTogether(plan: SparkPlan, cached: Seq[VerifyLayoutExec]): SparkPlan = {
    val first = inStage(plan).collectFirst {
      case leaf @ (_: InMemoryTableScanExec | _: TableCacheQueryStageExec)
          if checks(leaf).exists(cached.contains) => leaf
    }
    plan.transformUp {
      case leaf if first.exists(_ eq leaf) =>
        val check = VerifyLayoutExec(cached.head.keys, cached.head.enforcement, leaf)
        ClaimState.update(check)(_.copy(sides = cached))
        check
    }
  }

  private def kind(check: VerifyLayoutExec): (Option[String], Seq[DataType]) =
    (check.units.layout.id, check.keys.map(_.dataType))

  private def inStage(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case _: Exchange => Nil
    case other => other +: other.children.flatMap(inStage)
  }

  /** The checks of a stage, including those inside cached relations, which keep a partitioning. */
  private def checks(plan: SparkPlan): Seq[VerifyLayoutExec] = inStage(plan).flatMap {
    case check: VerifyLayoutExec => Seq(check)
    case memory: InMemoryTableScanExec => checks(memory.relation.cachedPlan)
    case adaptive: AdaptiveSparkPlanExec => checks(adaptive.executedPlan)
    case stage: QueryStageExec => checks(stage.plan)
    case _ => Nil
  }
}
