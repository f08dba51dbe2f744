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
 * The dropped claims at the nodes of a physical plan, as tags of the nodes. Those of a scan are
 * tags of its first column, since tags of the node would be lost: other extensions replace scans of
 * files, and before 4.2 Spark copies the scan of a storage-partitioned join.
 */
private[spark] object DroppedClaims {

  /** Returns the dropped claims of a node. */
  def at(node: SparkPlan): Seq[DroppedClaim] =
    (Seq(node) ++ firstColumn(node)).map(ClaimState.of(_).dropped).find(_.nonEmpty).getOrElse(Nil)

  /**
   * Returns a plan with one more dropped claim.
   *
   * @param plan the node `end`, or projections and filters above it
   * @param end the node that gets the claim
   */
  def add(plan: SparkPlan, end: SparkPlan, claim: DroppedClaim): SparkPlan = {
    val owner = withOwnColumns(end)
    put(owner, at(end) :+ claim)
    if (owner eq end) plan else replaced(plan, end, owner)
  }

  /** Sets the dropped claims of a node whose columns no other query has. */
  def put(node: SparkPlan, claims: Seq[DroppedClaim]): Unit =
    ClaimState.update(tagged(node))(_.copy(dropped = claims))

  /**
   * Returns a scan with copies of its columns, which may be those of the relation and so of other
   * queries.
   */
  private def withOwnColumns(node: SparkPlan): SparkPlan = node match {
    case scan: BatchScanExec if PlanShim.copiesScans => scan.copy(output = own(scan.output))
    case scan: FileSourceScanExec => scan.copy(output = own(scan.output))
    case other => other
  }

  private def own(columns: Seq[Attribute]): Seq[AttributeReference] = columns.collect {
    case column: AttributeReference => column.copy()(column.exprId, column.qualifier)
  }

  /** Replaces a scan; Spark's transformations would not, since the new scan equals the old one. */
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
