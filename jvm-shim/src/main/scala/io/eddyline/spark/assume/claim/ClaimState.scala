package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNode, TreeNodeTag}
import org.apache.spark.sql.execution.SparkPlan

/**
 * What is known of claims at a node of a physical plan. It is one tag of the node, since Spark
 * copies nodes with their tags.
 *
 * @param uses the outcomes of the node's claim; None until Spark has placed every Exchange
 * @param verdict the verdict of the node's check, as EXPLAIN shows it; None until it has run
 * @param dropped the claims that end at the node and cannot be used
 * @param sides the checks of one layout in a stage, at each of them
 */
private[spark] case class ClaimState(
    uses: Option[Seq[ClaimUse]] = None,
    verdict: Option[String] = None,
    dropped: Seq[DroppedClaim] = Nil,
    sides: Seq[SparkPlan] = Nil) {

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
 * @param relation the name of the relation; None if the node where the claim ended gives it
 */
case class DroppedClaim(
    keys: Seq[Expression],
    layout: Layout,
    relation: Option[String],
    reason: String,
    origin: Origin)

object DroppedClaim {

  /** Returns the claim as dropped if its relation has no units, else None. */
  def of(claim: AssumePartitionedBy): Option[DroppedClaim] =
    relationOf(claim.child).map { relation =>
      DroppedClaim(
        claim.keys, claim.layout, Some(relation.relationName), relation.whyNoUnits, claim.origin)
    }

  /** Returns the plan without its claims, and the claims whose relation has no units. */
  def strip(plan: LogicalPlan): (LogicalPlan, Seq[DroppedClaim]) = {
    val claims = plan.collect { case claim: AssumePartitionedBy => claim }
    val stripped = plan.transformUp { case claim: AssumePartitionedBy => claim.child }
    (stripped, claims.flatMap(of))
  }

  private def relationOf(plan: LogicalPlan): Option[NoUnits] = plan match {
    case relation: NoUnits => Some(relation)
    case _: Filter | _: Project | _: SubqueryAlias => relationOf(plan.children.head)
    case _ => None
  }
}

/** A relation that is never read by units, so that no claim about it can be used. */
trait NoUnits { this: LogicalPlan =>

  /** The name of the relation, as EXPLAIN shows it. */
  def relationName: String

  /** Why it has no units, as a sentence without a full stop. */
  def whyNoUnits: String
}
