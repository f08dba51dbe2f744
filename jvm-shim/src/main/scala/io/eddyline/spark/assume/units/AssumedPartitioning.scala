package io.eddyline.spark.assume.units

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, IntegerType}

import io.eddyline.spark.shim.PlanShim

/**
 * A partitioning in which rows with equal `keys` are in one partition, by an unknown function. It
 * satisfies operators with one input, but never makes sides of a join or a union co-partitioned.
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

/** The function from a key to its unit's number, which Spark compares by name and never calls. */
case class LayoutFunction(layout: String, key: DataType) extends ScalarFunction[Integer] {

  override def name: String = layout

  override def canonicalName: String = s"eddyline.layout.$layout(${key.sql})"

  override def inputTypes: Array[DataType] = Array(key)

  override def resultType: DataType = IntegerType
}

object LayoutFunction {

  /**
   * Returns the partitioning of the units of a layout, by which two sides of a join or two branches
   * of a union are co-partitioned. None where Spark would not use it or would misread it:
   *
   *   - a partitioning function takes one column, and Spark would read several functions as
   *     partitionings by each key alone;
   *   - if Spark may shuffle one side into the partitioning of the other, it calls the function;
   *   - if an operator requires partitioning by all its keys, Spark expects the bare keys.
   *
   * @param units the numbers of the units, in the order of the partitions
   */
  def partitioning(
      name: String, keys: Seq[Expression], units: Seq[Int]): Option[Partitioning] = {
    val conf = SQLConf.get
    keys match {
      case Seq(key: Attribute)
          if !conf.v2BucketingShuffleEnabled &&
            !conf.getConf(SQLConf.REQUIRE_ALL_CLUSTER_KEYS_FOR_DISTRIBUTION) =>
        val function = TransformExpression(LayoutFunction(name, key.dataType), Seq(key))
        Some(PlanShim.keyed(Seq(function), units.map(InternalRow(_))))
      case _ => None
    }
  }
}
