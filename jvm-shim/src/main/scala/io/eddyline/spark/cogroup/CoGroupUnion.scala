package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeMap, EqualTo}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project, UnaryNode}

/**
 * The padded union of a COGROUP's branches, until [[RewriteCoGroup]] has seen the aggregates above.
 *
 * The columns of `child`: the tag (BIGINT, one bit a branch), the keys, then the columns of all
 * branches in their order, NULL in the rows of the other branches.
 *
 * @param names of the keys
 * @param windows for each key the window that it is
 * @param aliases of the branches
 * @param widths how many columns each branch has
 */
case class CoGroupUnion(
    names: Seq[String],
    windows: Seq[Option[WindowKey]],
    aliases: Seq[String],
    widths: Seq[Int],
    child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  def tag: Attribute = output.head

  def keys: Seq[Attribute] = output.slice(1, 1 + names.size)

  /** The branch, by number, of every column that belongs to one. */
  lazy val branchOf: AttributeMap[Int] = AttributeMap(
    output.drop(1 + names.size).zip(widths.zipWithIndex.flatMap { case (width, branch) =>
      Seq.fill(width)(branch)
    }))

  /** The branches whose columns, or whose rows by their tag, `expression` takes, by number. */
  def branchesIn(expression: Expression): Seq[Int] = {
    val columns = expression.references.toSeq.flatMap(branchOf.get)
    val rows = expression.collect {
      case EqualTo(column: Attribute, Literal(bit: Long, _)) if column.semanticEquals(tag) =>
        java.lang.Long.numberOfTrailingZeros(bit)
    }
    (columns ++ rows).distinct.sorted
  }

  /** Whether a row is of the branch. */
  def isOf(branch: Int): Expression = EqualTo(tag, Literal(CoGroupUnion.bit(branch)))

  override def simpleString(maxFields: Int): String =
    s"CoGroup ${aliases.mkString(", ")} BY ${names.mkString("(", ", ", ")")}"

  override protected def withNewChildInternal(newChild: LogicalPlan): CoGroupUnion =
    copy(child = newChild)
}

object CoGroupUnion {
  val TAG = "__eddyline_branch"
  val KEYS = "__eddyline_keys"
  val MAX_BRANCHES = 63

  def bit(branch: Int): Long = 1L << branch

  /** The union that an Aggregate stands on, below what Spark puts in between for time windows. */
  def below(plan: LogicalPlan): Option[CoGroupUnion] = plan match {
    case union: CoGroupUnion => Some(union)
    case _: Project | _: Filter | _: Expand => below(plan.children.head)
    case _ => None
  }
}
