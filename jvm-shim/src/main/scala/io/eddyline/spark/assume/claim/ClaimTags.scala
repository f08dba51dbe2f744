package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/** What the nodes of a physical plan know of claims besides their arguments. */
private[spark] object ClaimTags {
  /** What became of the claim of a node, once Spark has decided where an Exchange stands. */
  val USES: TreeNodeTag[Seq[ClaimUse]] = TreeNodeTag("eddyline.assume.uses")

  /** What the check at a node has found, as EXPLAIN shows it. */
  val VERDICT: TreeNodeTag[String] = TreeNodeTag("eddyline.assume.verdict")

  /** Claims that ended at a node, because they have no units. */
  val DROPPED: TreeNodeTag[Seq[DroppedClaim]] = TreeNodeTag("eddyline.assume.dropped")
}
