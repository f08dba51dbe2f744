package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNode, TreeNodeTag}
import org.apache.spark.sql.execution.SparkPlan

/**
 * What is known about claims at a node of a physical plan. It is a tag of the node, because Spark
 * copies nodes with their tags.
 *
 * @param uses the outcomes of the node's claim; None until Spark has inserted every Exchange
 * @param verdict the verdict of the node's check, as EXPLAIN shows it; None until it has run
 * @param dropped the claims that end at the node and cannot be used
 * @param layoutPeers at the check of a layout: all checks of this layout in the stage
 */
private[spark] case class ClaimState(
    uses: Option[Seq[ClaimUse]] = None,
    verdict: Option[String] = None,
    dropped: Seq[DroppedClaim] = Nil,
    layoutPeers: Seq[SparkPlan] = Nil) {

  /** The outcomes, if they are known. */
  def outcomes: Seq[ClaimUse] = uses.getOrElse(Nil)
}

private[spark] object ClaimState {
  private val TAG = TreeNodeTag[ClaimState]("eddyline.assume")
  private val UNKNOWN = ClaimState()

  def of(node: TreeNode[_]): ClaimState = node.getTagValue(TAG).getOrElse(UNKNOWN)

  def update(node: TreeNode[_])(change: ClaimState => ClaimState): Unit =
    node.setTagValue(TAG, change(of(node)))
}

/**
 * A claim that has no node in the physical plan, because it cannot be used.
 *
 * @param relation the name of the relation; None if it is that of the node with the claim
 */
case class DroppedClaim(
    keys: Seq[Expression],
    layout: Layout,
    relation: Option[String],
    reason: String,
    origin: Origin)

object DroppedClaim {

  /** Returns a dropped claim if no claim about its relation can be used; else None. */
  def of(claim: AssumePartitionedBy): Option[DroppedClaim] =
    relationOf(claim.child).map { relation =>
      DroppedClaim(
        claim.keys, claim.layout, Some(relation.relationName), relation.unclaimableReason,
        claim.origin)
    }

  /** Returns a plan without its claims, and those of them about an [[UnclaimableRelation]]. */
  def strip(plan: LogicalPlan): (LogicalPlan, Seq[DroppedClaim]) = {
    val claims = plan.collect { case claim: AssumePartitionedBy => claim }
    val stripped = plan.transformUp { case claim: AssumePartitionedBy => claim.child }
    (stripped, claims.flatMap(of))
  }

  private def relationOf(plan: LogicalPlan): Option[UnclaimableRelation] = plan match {
    case relation: UnclaimableRelation => Some(relation)
    case _: Filter | _: Project | _: SubqueryAlias => relationOf(plan.children.head)
    case _ => None
  }
}

/** A relation that is never read by units, so that no claim about it can be used. */
trait UnclaimableRelation { this: LogicalPlan =>

  /** The name of the relation, as EXPLAIN shows it. */
  def relationName: String

  /** Why no claim about it can be used, as a sentence without a full stop. */
  def unclaimableReason: String
}
