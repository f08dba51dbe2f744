package io.eddyline.spark.assume.units

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeLike}

import io.eddyline.spark.assume.claim.{ClaimText, Proof}

/**
 * Reports that rows with equal claimed keys are in one partition, because the query has shuffled
 * the rows by keys that these determine, as a visit determines its visitor. Such a claim is never
 * checked. It holds only while the rows stay in the partitions of the shuffle: it is lost where
 * adaptive execution splits a partition, reads it locally, or replaces a shuffled join below by a
 * broadcast join, which needs no shuffled rows.
 */
case class DerivedClaimExec(keys: Seq[Expression], claimId: ExprId, child: SparkPlan)
  extends ClaimExec {

  override def output: Seq[Attribute] = child.output

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def unitKeys: Seq[Expression] = keys

  /** The operator below that determines how the rows are partitioned. */
  def source: SparkPlan = DerivedClaimExec.source(child)

  /** Whether [[source]] shuffles its rows, or needs rows that are shuffled. */
  def isShuffled: Boolean = DerivedClaimExec.isShuffled(source)

  override def outputPartitioning: Partitioning = {
    val claimed = DerivedClaimExec.parts(source.outputPartitioning).collectFirst {
      case hash: HashPartitioningLike if isShuffled && DerivedClaimExec.isClustered(hash) =>
        AssumedPartitioning(keys, hash.numPartitions, claimId)
    }
    claimed.fold(child.outputPartitioning)(own =>
      PartitioningCollection(Seq(own, child.outputPartitioning)))
  }

  /** Whether this claim satisfies `required`, and the partitioning of the child alone does not. */
  override def serves(required: ClusteredDistribution, partitioning: Partitioning): Boolean = {
    val (own, others) = DerivedClaimExec.parts(partitioning).partition {
      case assumed: AssumedPartitioning => assumed.claimId == claimId
      case _ => false
    }
    own.exists(_.satisfies(required)) && !others.exists(_.satisfies(required))
  }

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(keys)} ${Proof.Trusted.name}$usesText"

  override protected def doCanonicalize(): SparkPlan = super.doCanonicalize() match {
    case same: DerivedClaimExec => same.copy(claimId = ExprId(0))
    case other => other
  }

  override protected def withNewChildInternal(newChild: SparkPlan): DerivedClaimExec =
    copy(child = newChild)
}

private[assume] object DerivedClaimExec {
  private def source(plan: SparkPlan): SparkPlan = plan match {
    case _: ProjectExec | _: FilterExec | _: InputAdapter | _: WholeStageCodegenExec =>
      source(plan.children.head)
    case other => other
  }

  private def isShuffled(plan: SparkPlan): Boolean = plan match {
    case _: ShuffleExchangeLike | _: ShuffleQueryStageExec => true
    case ReusedExchangeExec(_, exchange) => exchange.isInstanceOf[ShuffleExchangeLike]
    case read: AQEShuffleReadExec => !read.isLocalRead
    case union: UnionExec => union.children.forall(isShuffled)
    case other if other.requiredChildDistribution.exists(_.isInstanceOf[ClusteredDistribution]) =>
      true
    case unary: UnaryExecNode => isShuffled(unary.child)
    case _ => false
  }

  /** Whether all rows of a key are in one partition. Spark 4.3 can spread rows with NULL keys. */
  private def isClustered(hash: HashPartitioningLike): Boolean = hash.expressions.nonEmpty &&
    hash.satisfies(ClusteredDistribution(hash.expressions, requireAllClusterKeys = false))

  private def parts(partitioning: Partitioning): Seq[Partitioning] = partitioning match {
    case PartitioningCollection(several) => several.flatMap(parts)
    case one => Seq(one)
  }
}
