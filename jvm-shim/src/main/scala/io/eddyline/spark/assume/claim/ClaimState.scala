package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.trees.{TreeNode, TreeNodeTag}
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
