package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.trees.{TreeNode, TreeNodeTag}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

import io.eddyline.spark.shim.PlanShim

/**
 * The claims that were dropped at the nodes of a physical plan, as tags of the nodes. Those of a
 * scan of a DataSource V2 are tags of its first column where Spark copies the scan of a
 * storage-partitioned join without tags, which it does before Spark 4.2.
 */
private[spark] object DroppedClaims {
  private val TAG = TreeNodeTag[Seq[DroppedClaim]]("eddyline.assume.dropped")

  /** Returns the claims that were dropped at a node. */
  def at(node: SparkPlan): Seq[DroppedClaim] = tagged(node).getTagValue(TAG).getOrElse(Nil)

  /**
   * Returns the plan with a claim that was dropped at `end`, one of its nodes.
   *
   * @param plan the node, or projections and filters of it
   */
  def add(plan: SparkPlan, end: SparkPlan, claim: DroppedClaim): SparkPlan = {
    val owner = withOwnColumns(end)
    put(owner, at(end) :+ claim)
    if (owner eq end) plan else replaced(plan, end, owner)
  }

  /** Sets the claims that were dropped at a node whose columns no other query has. */
  def put(node: SparkPlan, claims: Seq[DroppedClaim]): Unit = tagged(node).setTagValue(TAG, claims)

  /**
   * Of a source that prunes no columns, those of a scan are the relation's own, which other queries
   * read too.
   */
  private def withOwnColumns(node: SparkPlan): SparkPlan = node match {
    case scan: BatchScanExec if PlanShim.copiesScans =>
      scan.copy(output = scan.output.map(column => column.copy()(column.exprId, column.qualifier)))
    case other => other
  }

  /** Spark's transformations would keep the old scan, since it equals the new one. */
  private def replaced(plan: SparkPlan, scan: SparkPlan, owner: SparkPlan): SparkPlan = {
    val changed = plan match {
      case _ if plan eq scan => owner
      case filter: FilterExec => filter.copy(child = replaced(filter.child, scan, owner))
      case project: ProjectExec => project.copy(child = replaced(project.child, scan, owner))
      case other => other
    }
    changed.copyTagsFrom(plan)
    changed
  }

  private def tagged(node: SparkPlan): TreeNode[_] = node match {
    case scan: BatchScanExec if PlanShim.copiesScans && scan.output.nonEmpty => scan.output.head
    case other => other
  }
}
