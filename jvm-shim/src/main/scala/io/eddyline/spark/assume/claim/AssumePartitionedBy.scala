package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

/**
 * The claim that rows with equal keys are in one unit of the relation (KIP-759), where a unit is a
 * group of files or a partition of a topic. The node passes every row on unchanged.
 *
 * @param keys the claimed keys, over the columns of the child
 * @param unusable why the query cannot use the claim; None if it can
 */
case class AssumePartitionedBy(
    keys: Seq[Expression],
    layout: Layout,
    enforcement: Enforcement,
    child: LogicalPlan,
    unusable: Option[String] = None)
  extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override def maxRows: Option[Long] = child.maxRows

  override def stats: Statistics = child.stats

  /** Returns this claim over another plan. It keeps its position in the SQL text. */
  def over(plan: LogicalPlan, newKeys: Seq[Expression] = keys): AssumePartitionedBy =
    CurrentOrigin.withOrigin(origin)(copy(keys = newKeys, child = plan))

  /** Returns this claim as unusable, for a reason or an earlier one that it has. */
  def dropped(reason: String): AssumePartitionedBy =
    CurrentOrigin.withOrigin(origin)(copy(unusable = unusable.orElse(Some(reason))))

  override def simpleString(maxFields: Int): String =
    s"AssumePartitionedBy ${keys.mkString("[", ", ", "]")}${layout.sql}${enforcement.suffix}"

  override protected def withNewChildInternal(newChild: LogicalPlan): AssumePartitionedBy =
    copy(child = newChild)
}
