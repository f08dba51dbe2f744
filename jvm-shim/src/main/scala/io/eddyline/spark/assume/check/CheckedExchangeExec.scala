package io.eddyline.spark.assume.check

import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleOrigin}
import org.apache.spark.sql.execution.exchange.eddyline.DeferredExchange

/**
 * An Exchange that is not read before the claim below it is checked, with the keys that its own job
 * collects. If the claim is false, a second job writes the rows again, after a shuffle.
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

  override protected def isHeld: Boolean = collector.isCollecting

  override protected def decide(): ShuffleExchangeExec =
    collector.fallback().fold(exchange) { rows =>
      val fresh = VerifyClaimExec.withoutCodegen(child).transformUp {
        case check: VerifyClaimExec if check.hoisted => rows
        case CollectKeysExec(_, plan) => plan
      }
      exchange.copy(child = CollapseCodegenStages()(fresh))
    }

  override protected def withNewChildInternal(newChild: SparkPlan): CheckedExchangeExec =
    copy(child = newChild)
}
