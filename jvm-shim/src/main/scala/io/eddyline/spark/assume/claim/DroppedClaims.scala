package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import io.eddyline.spark.shim.PlanShim

/**
 * The claims that were dropped at the nodes of a physical plan, as tags of the nodes. Those of a
 * scan are tags of its first column, since tags of the node would be lost: other extensions replace
 * scans of files, and before Spark 4.2 Spark copies the scan of a storage-partitioned join.
 */
private[spark] object DroppedClaims {

  /** Returns the claims that were dropped at a node. */
  def at(node: SparkPlan): Seq[DroppedClaim] =
    (Seq(node) ++ firstColumn(node)).map(ClaimState.of(_).dropped).find(_.nonEmpty).getOrElse(Nil)

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
  def put(node: SparkPlan, claims: Seq[DroppedClaim]): Unit =
    ClaimState.update(tagged(node))(_.copy(dropped = claims))

  /**
   * Returns a scan with columns of its own: they may be those of the relation, which other queries
   * read too.
   */
  private def withOwnColumns(node: SparkPlan): SparkPlan = node match {
    case scan: BatchScanExec if PlanShim.copiesScans => scan.copy(output = own(scan.output))
    case scan: FileSourceScanExec => scan.copy(output = own(scan.output))
    case other => other
  }

  private def own(columns: Seq[Attribute]): Seq[AttributeReference] = columns.collect {
    case column: AttributeReference => column.copy()(column.exprId, column.qualifier)
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
    case _: FileSourceScanExec => firstColumn(node).getOrElse(node)
    case _: BatchScanExec if PlanShim.copiesScans => firstColumn(node).getOrElse(node)
    case other => other
  }

  /** The first column of a node that reads a relation, and not the rows of another plan. */
  private def firstColumn(node: SparkPlan): Option[Attribute] = node match {
    case _: QueryStageExec | _: ReusedExchangeExec | _: InMemoryTableScanExec => None
    case leaf: LeafExecNode => leaf.output.headOption
    case _ => None
  }
}
