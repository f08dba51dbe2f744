package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * The branches of a COGROUP before their types are known.
 *
 * @param branches each a [[CoGroupBranch]]
 * @param names of the keys, as far as they were given by AS
 * @param windows for each key the call of `window` or `session_window` that it is
 */
case class UnresolvedCoGroup(
    branches: Seq[LogicalPlan],
    names: Seq[Option[String]],
    windows: Seq[Option[WindowKey]]) extends LogicalPlan {

  override def children: Seq[LogicalPlan] = branches

  override def output: Seq[Attribute] = Nil

  override lazy val resolved: Boolean = false

  override def simpleString(maxFields: Int): String = "CoGroup"

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[LogicalPlan]): UnresolvedCoGroup = copy(branches = newChildren)
}

/**
 * A time window as a key. It is evaluated above the union, so that sessions merge across branches.
 * Not an `Expression`: Spark would resolve one found in a node's fields against the wrong columns.
 *
 * @param call as typed in the first branch; its first argument, the time, is each branch's own
 */
case class WindowKey(call: UnresolvedFunction)
