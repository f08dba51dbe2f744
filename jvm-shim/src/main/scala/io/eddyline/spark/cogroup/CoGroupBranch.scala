package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
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

  override def output: Seq[Attribute] = child.output

  override def simpleString(maxFields: Int): String =
    s"CoGroupBranch $alias BY ${keys.mkString("(", ", ", ")")}"

  override protected def withNewChildInternal(newChild: LogicalPlan): CoGroupBranch =
    copy(child = newChild)
}
