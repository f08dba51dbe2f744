package io.eddyline.spark.assume.check

import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleOrigin}
import org.apache.spark.sql.execution.exchange.eddyline.DeferredExchange

/**
 * An Exchange whose job also collects the keys of a claim below it. Its rows are read only after
 * the claim is checked with these keys. If the claim is false, a second job writes the rows again,
 * after a shuffle.
 *
 * @param child a plan that contains a [[CollectKeysExec]]
 */
case class CheckedExchangeExec(
    override val outputPartitioning: Partitioning,
    child: SparkPlan,
    shuffleOrigin: ShuffleOrigin,
    advisoryPartitionSize: Option[Long])
  extends DeferredExchange {

  @transient override protected lazy val exchange: ShuffleExchangeExec =
    ShuffleExchangeExec(outputPartitioning, child, shuffleOrigin, advisoryPartitionSize)

  @transient private lazy val collector: CollectKeysExec =
    child.collectFirst { case collector: CollectKeysExec => collector }
      .getOrElse(throw new IllegalStateException(s"no keys are collected: ${child.nodeName}"))

  override protected def blocksReaders: Boolean = collector.isCollecting

  override protected def verify(): ShuffleExchangeExec =
    collector.fallback().fold(exchange) { rows =>
      val fresh = VerifyClaimExec.withoutCodegen(child).transformUp {
        case check: VerifyClaimExec if check.keysCollectedAbove => rows
        case CollectKeysExec(_, plan) => plan
      }
      exchange.copy(child = CollapseCodegenStages()(fresh))
    }

  override protected def withNewChildInternal(newChild: SparkPlan): CheckedExchangeExec =
    copy(child = newChild)
}
