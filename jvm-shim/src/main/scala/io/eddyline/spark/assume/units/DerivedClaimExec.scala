package io.eddyline.spark.assume.units

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution._

import io.eddyline.spark.assume.claim.{ClaimText, Proof}

/**
 * Reports that rows which the query has shuffled by some keys are also partitioned by other keys
 * that are derived from them. Such a claim is never checked, and it holds only as long as the rows
 * stay as shuffled: it is lost where adaptive execution splits a partition or reads it locally.
 *
 * @param keys the claimed keys, over the columns of the child
 * @param claim the id that distinguishes the claims of a plan
 */
case class DerivedClaimExec(keys: Seq[Expression], claim: ExprId, child: SparkPlan)
  extends ClaimExec {

  override def output: Seq[Attribute] = child.output

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def unitKeys: Seq[Expression] = keys

  /** The operator below that determines how the rows are partitioned. */
  def source: SparkPlan = DerivedClaimExec.source(child)

  override def outputPartitioning: Partitioning = {
    val shuffled = DerivedClaimExec.parts(source.outputPartitioning).collectFirst {
      case hash: HashPartitioningLike => AssumedPartitioning(keys, hash.numPartitions, claim)
    }
    shuffled.fold(child.outputPartitioning) { assumed =>
      PartitioningCollection(Seq(assumed, child.outputPartitioning))
    }
  }

  override def serves(need: ClusteredDistribution, partitioning: Partitioning): Boolean = {
    val (own, others) = DerivedClaimExec.parts(partitioning).partition {
      case assumed: AssumedPartitioning => assumed.claim == claim
      case _ => false
    }
    own.exists(_.satisfies(need)) && !others.exists(_.satisfies(need))
  }

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(keys)} ${Proof.Trusted.name}$usesText"

  override protected def doCanonicalize(): SparkPlan = super.doCanonicalize() match {
    case same: DerivedClaimExec => same.copy(claim = ExprId(0))
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

  private def parts(partitioning: Partitioning): Seq[Partitioning] = partitioning match {
    case PartitioningCollection(several) => several.flatMap(parts)
    case one => Seq(one)
  }
}
