package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.trees.Origin

/**
 * One branch of a COGROUP as written in the query.
 *
 * @param alias the name of the branch
 * @param keys its key expressions, resolved against `child`; for a window key only the time column
 * @param places the positions of the keys in the SQL text, which Spark loses when it resolves them
 * @param child the relation with its WHERE
 */
case class CoGroupBranch(
    alias: String,
    keys: Seq[Expression],
    places: Seq[Origin],
    child: LogicalPlan)
  extends UnaryNode {

  /** The columns of the relation, without those that Spark computes for its keys. */
  override def output: Seq[Attribute] =
    child.output.filterNot(CoGroupBranch.addedIn(child).contains)

  /** Spark must not rewrite the keys here: it does so where they are columns of the union. */
  override lazy val resolved: Boolean = false

  def hasResolvedParts: Boolean = child.resolved && keys.forall(_.resolved)

  override def simpleString(maxFields: Int): String =
    s"CoGroupBranch $alias BY ${keys.mkString("(", ", ", ")")}"

  override protected def withNewChildInternal(newChild: LogicalPlan): CoGroupBranch =
    copy(child = newChild)
}

private[cogroup] object CoGroupBranch {

  /** The columns that Spark adds to a relation for its time windows, which have no names in SQL. */
  private def addedIn(plan: LogicalPlan): AttributeSet = plan match {
    case Filter(_, child) => addedIn(child)
    case (_: Project | _: Expand) if plan.children.head.outputSet.subsetOf(plan.outputSet) =>
      plan.outputSet -- plan.children.head.outputSet ++ addedIn(plan.children.head)
    case _ => AttributeSet.empty
  }
}
