package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.eddyline.SparkErrors
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.eddyline.spark.base.EddylineErrors

/**
 * Resolves expressions of the SELECT list, HAVING, QUALIFY and ORDER BY of a COGROUP that Spark
 * cannot resolve: `count(branch.*)`, which counts the rows of a branch (Spark refuses a qualified
 * star there), the star of a branch in other functions, and the tag by which HAVING EVERY BRANCH
 * finds out which branches have a key.
 *
 * Errors, at the star: EDDYLINE_COGROUP.UNRESOLVED_BRANCH, UNQUALIFIED_STAR; at the window
 * function: EDDYLINE_COGROUP.COUNT_OVER_WINDOW; Spark's UNRESOLVED_COLUMN.
 */
private[cogroup] object BranchStars {

  /** The aggregate of the union's tag in the lowering of EVERY BRANCH and AT LEAST n BRANCHES. */
  private val TAGS = UnresolvedFunction(
    "bit_or", Seq(UnresolvedAttribute("__eddyline_branch")), isDistinct = false)

  /** Resolves the stars in an expression of the SELECT list. */
  def resolveSelectItem(expression: Expression, union: CoGroupUnion): Expression = {
    checkQualified(expression, union)
    stars(expression, union, _ => false)
  }

  /**
   * Resolves stars, the tag and hidden columns in a node above the Aggregate of a COGROUP. As in
   * Spark, a name is a column of the result rather than a branch.
   */
  def resolveAbove(node: UnaryNode): LogicalPlan =
    unionBelow(node.child).fold[LogicalPlan](node)(resolve(node, _))

  private def resolve(node: UnaryNode, union: CoGroupUnion): LogicalPlan = {
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
   * Checks that a resolved node above the Aggregate uses only columns of the result. Spark adds
   * other columns to the Aggregate, but not in ORDER BY above a HAVING with another aggregate.
   */
  def checkColumns(node: UnaryNode): Unit = unionBelow(node.child).foreach { union =>
    node.expressions.flatMap(_.collectFirst {
      case column: Attribute if union.child.outputSet.contains(column) => column
    }).filterNot(node.child.outputSet.contains).foreach { column =>
      val name = CurrentOrigin.withOrigin(column.origin)(
        UnresolvedAttribute(column.qualifier.takeRight(1) :+ column.name))
      throw SparkErrors.unresolvedColumn(name, node.child.output.map(output => Seq(output.name)))
    }
  }

  private def unionBelow(plan: LogicalPlan): Option[CoGroupUnion] = plan match {
    case aggregate: Aggregate => CoGroupUnion.findBelow(aggregate.child)
    case _: SubqueryAlias => None
    case unary: UnaryNode => unionBelow(unary.child)
    case _ => None
  }

  /**
   * Whether a name before a dot is a column of the result that has fields, or may have some: if its
   * type is not known yet, a later pass decides.
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
          val indicator = union.indicators(i)
          count.copy(arguments =
            Seq(CurrentOrigin.withOrigin(star.origin)(indicator.withMetadata(indicator.metadata))))
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

  /** Returns the columns of a branch's star; None for the star of a struct and for no star. */
  private def columns(expression: Expression, union: CoGroupUnion, ofResult: String => Boolean)
      : Option[Seq[Expression]] = expression match {
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

  /** Returns the number of a star's branch; None for the star of a struct, which Spark resolves. */
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

  /** Returns the branch with the name of a star; None for the name of a table in a branch. */
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
