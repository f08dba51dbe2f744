package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.{Star, UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedStar, UnresolvedStarBase}
import org.apache.spark.sql.catalyst.analysis.UnresolvedStarExceptOrReplace
import org.apache.spark.sql.catalyst.eddyline.SparkErrors
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.logical.{SubqueryAlias, UnaryNode}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.eddyline.spark.base.EddylineErrors

/**
 * Resolves what needs the union, in the SELECT list of a COGROUP and in HAVING, QUALIFY and ORDER
 * BY: `count(branch.*)`, which counts the rows of a branch (Spark refuses a qualified star there),
 * the star of a branch in other functions, and the tag that tells HAVING which branches have a key.
 *
 * Errors, at the star: EDDYLINE_COGROUP.UNRESOLVED_BRANCH, UNQUALIFIED_STAR; at the window
 * function: EDDYLINE_COGROUP.COUNT_OVER_WINDOW; Spark's UNRESOLVED_COLUMN.
 */
private[cogroup] object BranchStars {

  /** How the lowering of EVERY BRANCH and AT LEAST n BRANCHES aggregates the union's tag. */
  private val TAGS = UnresolvedFunction(
    "bit_or", Seq(UnresolvedAttribute("__eddyline_branch")), isDistinct = false)

  /** Resolves the stars in an expression of the SELECT list. */
  def inList(expression: Expression, union: CoGroupUnion): Expression = {
    checkQualified(expression, union)
    stars(expression, union, _ => false)
  }

  /**
   * Resolves stars, tag and hidden columns in a node above the Aggregate of a COGROUP. A column of
   * the result comes before a branch of its name, as in Spark.
   */
  def above(node: UnaryNode): LogicalPlan = under(node.child).fold[LogicalPlan](node) { union =>
    def ofResult(name: String) = isOfResult(node.child, name)
    node.mapExpressions(stars(_, union, ofResult).transform {
      case count @ UnresolvedFunction(Seq("bit_count"), Seq(TAGS), _, _, _, _, _) =>
        count.copy(arguments = Seq(TAGS.copy(arguments = Seq(union.tag))))
      // Spark does not find such columns above the Expand of a sliding window.
      case name: UnresolvedAttribute if !ofResult(name.nameParts.head) =>
        new AttributeSeq(union.metadataOutput).resolve(name.nameParts, SQLConf.get.resolver)
          .fold[Expression](name)(column =>
            CurrentOrigin.withOrigin(name.origin)(column match {
              case field: Alias => field.child
              case attribute: Attribute => attribute.withMetadata(attribute.metadata)
            }))
    })
  }

  /**
   * Checks that a resolved node above the Aggregate uses only columns of the result. Spark moves
   * other columns into the Aggregate, except in some cases such as ORDER BY above a HAVING with
   * another aggregate.
   */
  def checkFound(node: UnaryNode): Unit = under(node.child).foreach { union =>
    node.expressions.flatMap(_.collectFirst {
      case column: Attribute if union.child.outputSet.contains(column) => column
    }).filterNot(node.child.outputSet.contains).foreach { column =>
      val name = CurrentOrigin.withOrigin(column.origin)(
        UnresolvedAttribute(column.qualifier.takeRight(1) :+ column.name))
      throw SparkErrors.unresolvedColumn(name, node.child.output.map(output => Seq(output.name)))
    }
  }

  private def under(plan: LogicalPlan): Option[CoGroupUnion] = plan match {
    case aggregate: Aggregate => CoGroupUnion.below(aggregate.child)
    case _: SubqueryAlias => None
    case unary: UnaryNode => under(unary.child)
    case _ => None
  }

  /**
   * Whether a name before a dot is a column of the result, one that has fields. So is one whose
   * type is still unknown: a later pass decides.
   */
  private def isOfResult(plan: LogicalPlan, name: String): Boolean = {
    def mayBe(column: String) = SQLConf.get.resolver(column, name)
    val isHere = plan.expressions.exists {
      case column: UnresolvedAttribute => mayBe(column.nameParts.last)
      case column: NamedExpression if column.resolved =>
        mayBe(column.name) && hasFields(column.dataType)
      case column: Alias => mayBe(column.name)
      case _ => false
    }
    isHere || (plan match {
      case _: Aggregate => false
      case other => other.children.exists(isOfResult(_, name))
    })
  }

  private def hasFields(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: MapType | ArrayType(_: StructType, _) => true
    case _ => false
  }

  private def stars(
      expression: Expression, union: CoGroupUnion, ofResult: String => Boolean): Expression = {
    expression.foreach {
      case WindowExpression(count @ CountOfStar(star), _) => checkWindow(count, star, union)
      case UnresolvedWindowExpression(count @ CountOfStar(star), _) =>
        checkWindow(count, star, union)
      case _ =>
    }
    expression.transformUp {
      case count @ CountOfStar(star) =>
        branch(star, union, _ => false).fold(count) { i =>
          val rows = union.rows(i)
          count.copy(arguments =
            Seq(CurrentOrigin.withOrigin(star.origin)(rows.withMetadata(rows.metadata))))
        }
      case function: UnresolvedFunction =>
        function.copy(arguments = function.arguments.flatMap {
          case star: UnresolvedStar if isCount(function) => Seq(star)
          case argument => columns(argument, union, ofResult).getOrElse(Seq(argument))
        })
      case struct: CreateNamedStruct =>
        CreateNamedStruct(struct.children.grouped(2).toSeq.flatMap { field =>
          columns(field.last, union, ofResult).fold(field)(CreateStruct(_).children)
        })
    }
  }

  /** The columns that a star of a branch stands for; None for a struct's star and no star. */
  private def columns(
      expression: Expression,
      union: CoGroupUnion,
      ofResult: String => Boolean): Option[Seq[Expression]] = expression match {
    case star: UnresolvedStar =>
      branch(star, union, ofResult).map(i =>
        if (named(star, union).isDefined) union.columnsOf(i) else expanded(star, union, i))
    case star: UnresolvedStarExceptOrReplace =>
      branch(star, union, ofResult).map { i =>
        val unqualified = star.copy(target = None) // a made-up name qualifies no column
        expanded(if (named(star, union).isDefined) unqualified else star, union, i)
      }
    case _ => None
  }

  private def expanded(star: Star, union: CoGroupUnion, branch: Int): Seq[Expression] =
    CurrentOrigin.withOrigin(star.origin)(
      star.expand(LocalRelation(union.columnsOf(branch)), SQLConf.get.resolver))

  private def isCount(function: UnresolvedFunction): Boolean =
    function.nameParts.last.equalsIgnoreCase("count")

  private object CountOfStar {
    def unapply(function: UnresolvedFunction): Option[UnresolvedStar] = function.arguments match {
      case Seq(star: UnresolvedStar) if !function.isDistinct && isCount(function) => Some(star)
      case _ => None
    }
  }

  /** Refuses `count(branch.*) OVER (…)`: windows contain rows of the result, not of a branch. */
  private def checkWindow(
      count: UnresolvedFunction, star: UnresolvedStar, union: CoGroupUnion): Unit =
    branch(star, union, _ => false).foreach { i =>
      EddylineErrors.fail("EDDYLINE_COGROUP.COUNT_OVER_WINDOW", count.origin,
        "alias" -> union.aliases(i))
    }

  /** The number of the branch that a star names; None for a struct's star, which Spark resolves. */
  private def branch(
      star: UnresolvedStarBase, union: CoGroupUnion, ofResult: String => Boolean): Option[Int] =
    star.target.filterNot(parts => ofResult(parts.head)).flatMap { parts =>
      val resolver = SQLConf.get.resolver
      named(star, union).orElse {
        union.aliases.indices.find(i => star.isQualifiedByTable(union.columnsOf(i), resolver))
      }.orElse {
        if (union.resolve(parts, resolver).isEmpty) {
          EddylineErrors.fail("EDDYLINE_COGROUP.UNRESOLVED_BRANCH", star.origin,
            "star" -> (parts :+ "*").mkString("."), "branches" -> union.aliases.mkString(", "))
        }
        None
      }
    }

  /** The branch of the star's name; another name is that of a table joined in a branch. */
  private def named(star: UnresolvedStarBase, union: CoGroupUnion): Option[Int] =
    union.aliases.indices.find(i =>
      star.target.exists(_.corresponds(Seq(union.aliases(i)))(SQLConf.get.resolver)))

  private def checkQualified(expression: Expression, union: CoGroupUnion): Unit =
    expression match {
      case star @ (UnresolvedStar(None) | UnresolvedStarExceptOrReplace(None, _, _)) =>
        EddylineErrors.fail("EDDYLINE_COGROUP.UNQUALIFIED_STAR", star.origin,
          "alias" -> union.aliases.head)
      case CountOfStar(UnresolvedStar(None)) =>
      case other => other.children.foreach(checkQualified(_, union))
    }
}
