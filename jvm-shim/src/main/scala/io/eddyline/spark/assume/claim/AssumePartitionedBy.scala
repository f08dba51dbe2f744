package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

/**
 * The claim that rows with equal keys never lie in two units of the relation (KIP-759). It changes
 * no row.
 *
 * @param unusable why the query cannot use it, if so
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

  /** The claim over another plan, at the place in the text that it has. */
  def over(plan: LogicalPlan, newKeys: Seq[Expression] = keys): AssumePartitionedBy =
    CurrentOrigin.withOrigin(origin)(copy(keys = newKeys, child = plan))

  /** The claim that is to be dropped, for this reason if there was none. */
  def dropped(reason: String): AssumePartitionedBy =
    CurrentOrigin.withOrigin(origin)(copy(unusable = unusable.orElse(Some(reason))))

  override def simpleString(maxFields: Int): String =
    s"AssumePartitionedBy ${keys.mkString("[", ", ", "]")}${layout.sql}${enforcement.suffix}"

  override protected def withNewChildInternal(newChild: LogicalPlan): AssumePartitionedBy =
    copy(child = newChild)
}
