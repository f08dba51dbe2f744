package io.eddyline.spark.assume.units

import org.apache.spark.sql.catalyst.expressions.{Expression, ExprId, Unevaluable}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * A partitioning in which rows with equal `keys` are in one partition, by an unknown function. It
 * satisfies operators with one input, but never makes two sides of a join or two branches of a
 * union co-partitioned.
 *
 * @param claimId the id that distinguishes the claims of a plan
 */
case class AssumedPartitioning(keys: Seq[Expression], numPartitions: Int, claimId: ExprId)
  extends Expression with Partitioning with Unevaluable {

  override def children: Seq[Expression] = keys

  override def nullable: Boolean = false

  override def dataType: DataType = IntegerType

  override def satisfies0(required: Distribution): Boolean = super.satisfies0(required) || {
    required match {
      case need: ClusteredDistribution if need.requireAllClusterKeys =>
        need.areAllClusterKeysMatched(keys)
      case need: ClusteredDistribution =>
        keys.forall(key => need.clustering.exists(_.semanticEquals(key)))
      case _ => false
    }
  }

  override def createShuffleSpec(distribution: ClusteredDistribution): ShuffleSpec =
    AssumedPartitioning.Spec(numPartitions)

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]): AssumedPartitioning = copy(keys = newChildren)
}

private[assume] object AssumedPartitioning {
  private case class Spec(numPartitions: Int) extends ShuffleSpec {
    override def isCompatibleWith(other: ShuffleSpec): Boolean = false
    override def canCreatePartitioning: Boolean = false
  }
}
