package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.trees.Origin

/**
 * The branches of a COGROUP before their types are known.
 *
 * @param branches the branches, each a [[CoGroupBranch]]
 * @param names the name of each key after AS; None if it has none
 * @param windows the time window of each key; None if the key is none
 */
case class UnresolvedCoGroup(
    branches: Seq[LogicalPlan], names: Seq[Option[String]], windows: Seq[Option[WindowKey]])
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

/**
 * One branch of a COGROUP as written in the query.
 *
 * @param keys its key expressions, resolved against `child`; for a window key only the time column
 * @param places the positions of the keys in the SQL text, which Spark drops when it resolves them
 * @param child the relation with its WHERE
 */
case class CoGroupBranch(
    alias: String, keys: Seq[Expression], places: Seq[Origin], child: LogicalPlan)
  extends UnaryNode {

  /** The columns of the relation, without those that Spark adds for time windows of its keys. */
  override def output: Seq[Attribute] =
    child.output.filterNot(CoGroupBranch.addedIn(child).contains)

  /** Stays false, so that Spark does not rewrite the keys before they are columns of the union. */
  override lazy val resolved: Boolean = false

  def hasResolvedParts: Boolean = child.resolved && keys.forall(_.resolved)

  override def simpleString(maxFields: Int): String =
    s"CoGroupBranch $alias BY ${keys.mkString("(", ", ", ")")}"

  override protected def withNewChildInternal(newChild: LogicalPlan): CoGroupBranch =
    copy(child = newChild)
}

private[cogroup] object CoGroupBranch {

  /** Returns the columns that Spark has added to a relation for time windows. */
  private def addedIn(plan: LogicalPlan): AttributeSet = plan match {
    case Filter(_, child) => addedIn(child)
    case (_: Project | _: Expand) if plan.children.head.outputSet.subsetOf(plan.outputSet) =>
      plan.outputSet -- plan.children.head.outputSet ++ addedIn(plan.children.head)
    case _ => AttributeSet.empty
  }
}

/**
 * A time window as a key. It is computed above the union, so that sessions merge across branches.
 * It is not an `Expression`, because Spark would resolve it over the wrong columns.
 *
 * @param call the call in the first branch; its first argument, the time, differs by branch
 */
case class WindowKey(call: UnresolvedFunction)
