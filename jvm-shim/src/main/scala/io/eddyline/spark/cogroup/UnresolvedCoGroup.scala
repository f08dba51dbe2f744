package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * The branches of a COGROUP before their types are known.
 *
 * @param branches the branches, each a [[CoGroupBranch]]
 * @param names the name of each key after AS; None if it has none
 * @param windows the call of `window` or `session_window` of each key; None if it is another key
 */
case class UnresolvedCoGroup(
    branches: Seq[LogicalPlan],
    names: Seq[Option[String]],
    windows: Seq[Option[WindowKey]])
  extends LogicalPlan {

  override def children: Seq[LogicalPlan] = branches

  override def output: Seq[Attribute] = Nil

  override lazy val resolved: Boolean = false

  def hasResolvedBranches: Boolean = branches.forall {
    case branch: CoGroupBranch => branch.hasResolvedParts
    case _ => false
  }

  override def simpleString(maxFields: Int): String = "CoGroup"

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[LogicalPlan]): UnresolvedCoGroup = copy(branches = newChildren)
}
