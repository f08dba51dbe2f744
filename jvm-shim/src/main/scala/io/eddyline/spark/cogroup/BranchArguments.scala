package io.eddyline.spark.cogroup

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project, Union}
import org.apache.spark.sql.catalyst.util.toPrettySQL

import io.eddyline.spark.base.EddylineErrors

/**
 * Collects arguments and filters of aggregates that may only be evaluated on rows of their branch.
 * Each becomes a column of the union that is computed in its branch and NULL in the others. A
 * FILTER above the union would not be enough, because Spark evaluates Python functions and common
 * subexpressions before it.
 *
 * Errors: EDDYLINE_COGROUP.PYTHON_FUNCTION_OF_WINDOW.
 */
private[cogroup] class BranchArguments(union: CoGroupUnion) {

  /** By branch too, since several branches may use the same expression over the keys alone. */
  private val columns = mutable.LinkedHashMap.empty[(Int, Expression), Alias]

  /** Returns an expression that is `expression` in the rows of a branch and NULL in all others. */
  def columnFor(branch: Int, expression: Expression): Expression =
    if (expression.references.subsetOf(union.child.outputSet)) {
      columns.getOrElseUpdate((branch, expression.canonicalized),
        Alias(expression, toPrettySQL(expression))()).toAttribute.withNullability(true)
    } else { // over a window, which is computed above the union
      expression.foreach {
        case function: PythonUDF =>
          EddylineErrors.fail("EDDYLINE_COGROUP.PYTHON_FUNCTION_OF_WINDOW", function.origin,
            "function" -> EddylineErrors.asTyped(function))
        case _ =>
      }
      If(union.isOf(branch), expression, Literal(null, expression.dataType))
    }

  /** Says what expressions give for the padded rows of the union with these columns. */
  val paddedRows = new PaddedRowAnalysis(column =>
    union.branchOf.contains(column) ||
      columns.values.exists(_.exprId == column.exprId))

  /**
   * Returns a plan in which the [[CoGroupUnion]] is replaced by a union with these columns.
   *
   * @param required the columns that the nodes above need
   */
  def replaceUnion(plan: LogicalPlan, required: AttributeSet): LogicalPlan = plan match {
    case node: CoGroupUnion if node eq union =>
      BranchArguments.withColumns(union,
        columns.toSeq.map { case ((branch, _), alias) => Some(branch) -> alias })
    case filter @ Filter(condition, child) =>
      filter.copy(child = replaceUnion(child, required ++ condition.references))
    case project @ Project(list, child) =>
      val below = replaceUnion(child, required ++ AttributeSet(list.flatMap(_.references)))
      project.copy(list ++ missing(project, below, required), below)
    case expand: Expand =>
      val below = replaceUnion(expand.child, required ++ expand.references)
      val more = missing(expand, below, required)
      expand.copy(expand.projections.map(_ ++ more), expand.output ++ more, below)
    case other => other
  }

  private def missing(
      node: LogicalPlan, below: LogicalPlan, required: AttributeSet): Seq[Attribute] =
    below.output.filter(column => required.contains(column) && !node.outputSet.contains(column))
}

private[cogroup] object BranchArguments {

  /**
   * Returns the union with more columns at its end.
   *
   * @param columns the columns, each with the branch in which it is computed; it is NULL in the
   *                others. With None it is computed in all branches
   */
  def withColumns(union: CoGroupUnion, columns: Seq[(Option[Int], Alias)]): Union =
    Union(union.child.children.zipWithIndex.map { case (child, i) =>
      val translate = translationTo(union, child)
      val more = columns.map { case (branch, alias) =>
        val value =
          if (branch.forall(_ == i)) translate(alias.child)
          else Literal(null, alias.child.dataType)
        // A union's columns have the ids of its first child's columns.
        if (i == 0) alias.copy(child = value)(alias.exprId, Nil, None, Nil)
        else Alias(value, alias.name)()
      }
      val below = withDistinctAliases(child)
      if (more.isEmpty) below
      else Project(below.output ++ renameDuplicates(more, below.output), below)
    })

  /** Returns the translation of expressions over the union to expressions over one child. */
  def translationTo(union: CoGroupUnion, child: LogicalPlan): Expression => Expression =
    replaceColumns(AttributeMap(union.child.output.zip(child.output)))(_)

  /** Returns an expression with other columns, also in its subqueries. */
  def replaceColumns(columns: AttributeMap[Attribute])(expression: Expression): Expression =
    expression.transform {
      case column: Attribute => columns.getOrElse(column, column)
      case subquery: SubqueryExpression =>
        subquery.withNewPlan(subquery.plan.transformAllExpressionsWithSubqueries {
          case OuterReference(column: Attribute) =>
            OuterReference(columns.getOrElse(column, column))
        })
    }

  /**
   * Returns a branch whose aliases have distinct names. Spark removes an alias that changes neither
   * the name nor the metadata of a column, but a child of a union must not have a column twice, for
   * instance as a key and as itself. Metadata would not be enough: Spark drops it where it pushes
   * aliases into a UNION ALL.
   */
  def withDistinctAliases(child: LogicalPlan): LogicalPlan = child match {
    case project: Project => project.copy(projectList = renameDuplicates(project.projectList))
    case filter: Filter => filter.mapChildren(withDistinctAliases)
    case other => other
  }

  /** Renames each alias with an earlier name or one of `before`; Spark keeps those of constants. */
  private def renameDuplicates(
      columns: Seq[NamedExpression], before: Seq[Attribute] = Nil): Seq[NamedExpression] = {
    val seen = mutable.Set.from(before.map(_.name))
    val taken = seen ++ columns.map(_.name)
    columns.map {
      case alias: Alias if !alias.child.foldable && !seen.add(alias.name) =>
        val name = Iterator.from(2).map(i => s"${alias.name}_$i").find(taken.add).get
        alias.copy(name = name)(
          alias.exprId, alias.qualifier, alias.explicitMetadata, alias.nonInheritableMetadataKeys)
      case other => other
    }
  }
}

/**
 * Says what an expression over the columns of a branch gives for the rows of other branches, which
 * are padded: all columns of the branch are NULL in them, but the keys are not.
 */
private[cogroup] class PaddedRowAnalysis(isPadded: Attribute => Boolean) {

  /** Whether an expression is certainly NULL in a padded row. */
  def isNull(expression: Expression): Boolean = expression match {
    case column: Attribute => isPadded(column)
    case other => other.nullIntolerant && other.children.exists(isNull)
  }

  /** Whether an expression cannot fail in a padded row, and calls no user function. */
  def cannotFail(expression: Expression): Boolean =
    (expression match {
      case _: UserDefinedExpression => false
      case _: Attribute | _: Literal => true
      case cast: Cast => isNull(cast) || Cast.canUpCast(cast.child.dataType, cast.dataType)
      case _: IsNull | _: IsNotNull | _: Not | _: And | _: Or | _: BinaryComparison | _: In |
          _: Coalesce | _: If | _: CaseWhen | _: CreateNamedStruct | _: CreateArray |
          _: GetStructField | _: SortOrder =>
        true
      case other => isNull(other)
    }) && expression.children.forall(cannotFail)
}
