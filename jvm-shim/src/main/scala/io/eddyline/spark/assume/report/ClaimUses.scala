package io.eddyline.spark.assume.report

import org.apache.spark.sql.catalyst.expressions.{Expression, TransformExpression}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.joins.ShuffledJoin
import org.apache.spark.sql.execution.streaming.operators.stateful._

import io.eddyline.spark.assume.claim.{ClaimText, ClaimUse}
import io.eddyline.spark.assume.claim.ClaimUse._
import io.eddyline.spark.assume.units.{AssumedPartitioning, ClaimExec, DerivedClaimExec}
import io.eddyline.spark.shim.PlanShim

/** Finds which shuffles a claim saves, and why it does not save the first shuffle above it. */
private[report] object ClaimUses {

  /**
   * Returns the outcome of the claim at each operator that needs rows with equal keys together,
   * from the claim up to the first Exchange.
   *
   * @param above the operators above the claim, nearest first
   */
  def of(unit: ClaimExec, above: List[SparkPlan]): Seq[ClaimUse] = {
    val (path, rest) = above.span(!_.isInstanceOf[Exchange])
    val nodes = unit +: path
    val used = nodes.zip(path).flatMap { case (below, operator) =>
      operator.requiredChildDistribution(operator.children.indexWhere(_ eq below)) match {
        case need: ClusteredDistribution if unit.serves(need, below.outputPartitioning) =>
          Some(Used(typedKeys(need.clustering, unit), ClaimText.operator(operator))(below.id))
        case StatefulOpClusteredDistribution(keys, _) if readsState(operator) =>
          Some(Used(typedKeys(keys, unit), ClaimText.operator(below))(below.id))
        case _ => None
      }
    }
    val kept = rest.headOption.collect { case exchange: ShuffleExchangeLike =>
      NotUsed(
        need(exchange, unit), ClaimText.consumer(rest.tail),
        whyNotUsed(unit, nodes, exchange, rest.tail))
    }
    val uses = used ++ kept
    if (uses.isEmpty) Seq(NotNeeded) else uses
  }

  /** Whether an operator reads the state of an aggregation, and does not write it. */
  private def readsState(operator: SparkPlan): Boolean = operator match {
    case _: StateStoreSaveExec => false
    case _ => operator.isInstanceOf[StatefulOperator]
  }

  private def whyNotUsed(
      unit: ClaimExec, below: Seq[SparkPlan], exchange: ShuffleExchangeLike, above: List[SparkPlan])
      : String = {
    val claimed = ClaimText.keys(unit.unitKeys)
    def notContained = s"(${need(exchange, unit)}) does not contain ($claimed)"
    (exchange.outputPartitioning, below.find(n => keysOf(n.outputPartitioning).isEmpty)) match {
      case (SinglePartition, _) => "all rows are needed in one task"
      case (_: RangePartitioning, _) => "all rows are sorted"
      case (_, Some(derived: DerivedClaimExec)) =>
        val source = ClaimText.operator(derived.source)
        if (derived.isShuffled) s"the rows of $source are not partitioned by a hash"
        else s"$source does not shuffle its rows; a claim below it can be used"
      case (_, Some(_: UnionExec)) =>
        s"the claim on ($claimed) ends at Union, whose branches are not all partitioned so"
      case (_, Some(_: ProjectExec | _: BaseAggregateExec)) => notContained
      case (_, Some(lost)) => s"the claim on ($claimed) ends at ${ClaimText.operator(lost)}"
      case (partitioning: HashPartitioningLike, None)
          if !keysOf(below.last.outputPartitioning).get.forall(key =>
            partitioning.expressions.exists(_.semanticEquals(key))) =>
        notContained
      case _ if ClaimText.consumerNode(above).exists(_.isInstanceOf[ShuffledJoin]) =>
        "the sides of the join are not partitioned alike"
      case _ => s"Spark needs another partitioning than by ($claimed)"
    }
  }

  /** Returns the keys of a partitioning, which may be one of several; None if it has none. */
  private def keysOf(partitioning: Partitioning): Option[Seq[Expression]] = partitioning match {
    case keyed: PlanShim.Keyed => Some(keyed.expressions.flatMap {
        case function: TransformExpression => function.children
        case key => Seq(key)
      })
    case assumed: AssumedPartitioning => Some(assumed.keys)
    case hash: HashPartitioning => Some(hash.expressions)
    case PartitioningCollection(several) => several.flatMap(keysOf).headOption
    case _ => None
  }

  private def need(exchange: ShuffleExchangeLike, unit: ClaimExec): String =
    ClaimText.exchange(exchange, typedKeys(_, unit))

  /** Returns keys as text; the claimed keys if eddyline or Spark has made up a name in them. */
  private def typedKeys(keys: Seq[Expression], unit: ClaimExec): String = {
    val text = ClaimText.keys(keys)
    val hasGeneratedName = Seq("__eddyline_", "_groupingexpression").exists(text.contains)
    if (hasGeneratedName) ClaimText.keys(unit.unitKeys) else text
  }
}
