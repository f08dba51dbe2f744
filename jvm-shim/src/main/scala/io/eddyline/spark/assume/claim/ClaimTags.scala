package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/** Tags that carry facts about claims on the nodes of a physical plan. */
private[spark] object ClaimTags {

  /** The outcomes of the claim of a node, set once Spark has placed every Exchange. */
  val USES: TreeNodeTag[Seq[ClaimUse]] = TreeNodeTag("eddyline.assume.uses")

  /** The verdict of the check at a node, as EXPLAIN shows it. */
  val VERDICT: TreeNodeTag[String] = TreeNodeTag("eddyline.assume.verdict")
}
