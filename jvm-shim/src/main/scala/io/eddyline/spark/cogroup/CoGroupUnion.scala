package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.MetadataColumnHelper
import org.apache.spark.sql.internal.SQLConf

/**
 * The union of a COGROUP's branches, padded with NULLs. It stays in the plan until
 * [[RewriteCoGroup]] has rewritten the aggregates above.
 *
 * The columns of `child` are, in this order:
 *
 *   - the tag (BIGINT), which has one bit for each branch;
 *   - the keys;
 *   - for each branch an indicator, which is 1 in its rows and NULL in the rows of the others;
 *   - the columns of all branches, which are NULL in the rows of other branches;
 *   - the columns that are computed from these, see [[ComputedColumns]].
 *
 * Names resolve as over a FULL OUTER JOIN … USING (keys), with the same mechanism of Spark: an
 * unqualified name refers to a key first, and a column with the name of a key must be qualified
 * with its branch. SQL text cannot refer to the tag, the indicators and the times of windows.
 *
 * @param names the names of the keys
 * @param windows the window of each key; None if the key is a column
 * @param aliases the names of the branches
 * @param widths the number of columns of each branch
 * @param columnsAsTyped the names of columns in the aggregates, with their positions in the SQL
 *                       text, which Spark drops when it resolves them
 * @param computed the branch of each computed column; None if it uses no column of a branch
 */
case class CoGroupUnion(
    names: Seq[String],
    windows: Seq[Option[WindowKey]],
    aliases: Seq[String],
    widths: Seq[Int],
    child: LogicalPlan,
    columnsAsTyped: Seq[(Seq[String], Origin)] = Nil,
    computed: Seq[Option[Int]] = Nil)
  extends UnaryNode {

  private lazy val (namedAsKeys, columns) = child.output.drop(1 + names.size + aliases.size)
    .partition(column => names.exists(SQLConf.get.resolver(_, column.name)))

  override lazy val output: Seq[Attribute] =
    keys.zip(windows).collect { case (key, None) => key } ++ columns

  override def metadataOutput: Seq[Attribute] = namedAsKeys.map(_.markAsQualifiedAccessOnly())

  /** The column with the bit of a row's branch. */
  def tag: Attribute = child.output.head

  def keys: Seq[Attribute] = child.output.slice(1, 1 + names.size)

  /** The column of each branch that is 1 in its rows and NULL in the rows of the others. */
  def indicators: Seq[Attribute] = child.output.slice(1 + names.size, 1 + names.size + aliases.size)

  /** The columns of a branch, in its order. */
  def columnsOf(branch: Int): Seq[Attribute] =
    child.output.drop(1 + names.size + aliases.size + widths.take(branch).sum).take(widths(branch))

  /** The number of the branch of each column that is NULL in the rows of other branches. */
  lazy val branchOf: AttributeMap[Int] = AttributeMap(aliases.indices.flatMap { branch =>
    (indicators(branch) +: columnsOf(branch)).map(_ -> branch)
  } ++ child.output.takeRight(computed.size).zip(computed).collect {
    case (column, Some(branch)) => column -> branch
  })

  /** The numbers of the branches whose columns `expression` uses, in ascending order. */
  def branchesIn(expression: Expression): Seq[Int] =
    expression.references.toSeq.flatMap(branchOf.get).distinct.sorted

  /** Returns a condition that is true in the rows of a branch. */
  def isOf(branch: Int): Expression = EqualTo(tag, Literal(CoGroupUnion.bit(branch)))

  override def simpleString(maxFields: Int): String =
    s"CoGroup ${aliases.mkString(", ")} BY ${names.mkString("(", ", ", ")")}"

  override protected def withNewChildInternal(newChild: LogicalPlan): CoGroupUnion =
    copy(child = newChild)
}

object CoGroupUnion {

  /** The name of the tag in plans. */
  val TAG = "branch"

  /** The name of the grouping column that stands for the keys in the lowered text. */
  val KEYS = "__eddyline_keys"

  /** Returns the tag of the rows of a branch. */
  def bit(branch: Int): Long = 1L << branch

  /** Finds the union below the nodes that Spark adds for windows and SQL functions. */
  def findBelow(plan: LogicalPlan): Option[CoGroupUnion] = plan match {
    case union: CoGroupUnion => Some(union)
    case _: Project | _: Filter | _: Expand => findBelow(plan.children.head)
    case _ => None
  }

  /** Returns the nodes of `plan` above the union, from top to bottom. */
  def nodesAbove(union: CoGroupUnion, plan: LogicalPlan): Seq[LogicalPlan] =
    if (plan eq union) Nil else plan +: nodesAbove(union, plan.children.head)
}
