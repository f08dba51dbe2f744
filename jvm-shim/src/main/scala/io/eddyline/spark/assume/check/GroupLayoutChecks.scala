package io.eddyline.spark.assume.check

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.adaptive._
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.types.DataType

import io.eddyline.spark.assume.claim.ClaimState

/**
 * Tags each [[VerifyLayoutExec]] with the checks of its stage that have the same layout and key
 * types, its peers. They run as one check, because each claim alone is true if a key is in unit 1
 * of one relation and in unit 2 of another. Relations with an Exchange between them are not
 * co-partitioned by their units, so they are checked separately.
 */
object GroupLayoutChecks extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = plan =>
    grouped(plan.transformUp {
      case exchange: Exchange => exchange.withNewChildren(Seq(grouped(exchange.child)))
    })

  private def grouped(plan: SparkPlan): SparkPlan = {
    val peers = checks(plan).groupBy(layoutAndTypes)
    val own = inStage(plan).collect { case check: VerifyLayoutExec => check }
    own.foreach(check =>
      ClaimState.update(check)(_.copy(layoutPeers = peers(layoutAndTypes(check)))))
    val unseen = peers -- own.map(layoutAndTypes)
    unseen.values.filter(_.size > 1).foldLeft(plan)(withCheckOfCached)
  }

  /** Returns a plan with a check of cached relations, which were checked one by one, above one. */
  private def withCheckOfCached(plan: SparkPlan, cached: Seq[VerifyLayoutExec]): SparkPlan = {
    val first = inStage(plan).collectFirst {
      case leaf @ (_: InMemoryTableScanExec | _: TableCacheQueryStageExec)
          if checks(leaf).exists(cached.contains) => leaf
    }
    plan.transformUp {
      case leaf if first.exists(_ eq leaf) =>
        val check = VerifyLayoutExec(cached.head.keys, cached.head.enforcement, leaf)
        ClaimState.update(check)(_.copy(layoutPeers = cached))
        check
    }
  }

  private def layoutAndTypes(check: VerifyLayoutExec): (Option[String], Seq[DataType]) =
    (check.units.layout.id, check.keys.map(_.dataType))

  /** Returns the operators of a plan down to the next Exchanges. */
  private def inStage(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case _: Exchange => Nil
    case other => other +: other.children.flatMap(inStage)
  }

  /** Returns the checks of a stage, also those of cached relations, whose partitioning is kept. */
  private def checks(plan: SparkPlan): Seq[VerifyLayoutExec] = inStage(plan).flatMap {
    case check: VerifyLayoutExec => Seq(check)
    case memory: InMemoryTableScanExec => checks(memory.relation.cachedPlan)
    case adaptive: AdaptiveSparkPlanExec => checks(adaptive.executedPlan)
    case stage: QueryStageExec => checks(stage.plan)
    case _ => Nil
  }
}
