package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeMap, EqualTo}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.util.MetadataColumnHelper
import org.apache.spark.sql.internal.SQLConf

/**
 * The padded union of a COGROUP's branches, until [[RewriteCoGroup]] has seen the aggregates above.
 *
 * The columns of `child`: the tag (BIGINT, one bit a branch), the keys, for each branch a constant
 * that is NULL in the rows of the others, then the columns of all branches in their order, NULL in
 * the rows of the other branches.
 *
 * Names resolve as over a FULL OUTER JOIN … USING (keys), and by the same means of Spark: a bare
 * name is a key before it is a column, and a column of that name needs its branch before it. The
 * tag, the constants and the times of windows have no names that a text could take.
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

  private lazy val (keyLike, columns) = child.output.drop(1 + names.size + aliases.size)
    .partition(column => names.exists(SQLConf.get.resolver(_, column.name)))

  override lazy val output: Seq[Attribute] =
    keys.zip(windows).collect { case (key, None) => key } ++ columns

  override def metadataOutput: Seq[Attribute] = keyLike.map(_.markAsQualifiedAccessOnly())

  def tag: Attribute = child.output.head

  def keys: Seq[Attribute] = child.output.slice(1, 1 + names.size)

  /** For each branch a column that is NULL in the rows of the others, and never in its own. */
  def rows: Seq[Attribute] = child.output.slice(1 + names.size, 1 + names.size + aliases.size)

  /** The columns of a branch, in its order. */
  def columnsOf(branch: Int): Seq[Attribute] =
    child.output.slice(child.output.size - widths.drop(branch).sum,
      child.output.size - widths.drop(branch + 1).sum)

  /** The branch, by number, of every column that is NULL in the rows of the others. */
  lazy val branchOf: AttributeMap[Int] = AttributeMap(aliases.indices.flatMap { branch =>
    (rows(branch) +: columnsOf(branch)).map(_ -> branch)
  })

  /** The branches whose columns `expression` takes, by number. */
  def branchesIn(expression: Expression): Seq[Int] =
    expression.references.toSeq.flatMap(branchOf.get).distinct.sorted

  /** Whether a row is of the branch. */
  def isOf(branch: Int): Expression = EqualTo(tag, Literal(CoGroupUnion.bit(branch)))

  override def simpleString(maxFields: Int): String =
    s"CoGroup ${aliases.mkString(", ")} BY ${names.mkString("(", ", ", ")")}"

  override protected def withNewChildInternal(newChild: LogicalPlan): CoGroupUnion =
    copy(child = newChild)
}

object CoGroupUnion {
  /** The tag, as plans show it. */
  val TAG = "branch"
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
