package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNode, TreeNodeTag}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import io.eddyline.spark.shim.PlanShim

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
    keys: Seq[Expression], layout: Layout, relation: Option[String], reason: String, origin: Origin)

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

  /** Returns a scan with copies of its columns, which other queries of the relation may have. */
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
