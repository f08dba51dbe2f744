package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedStar, UnresolvedTableValuedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnaryNode}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.eddyline.spark.EddylineErrors
import io.eddyline.spark.parser.SelectStar

/**
 * Reads `__eddyline_cogroup(alias => TABLE(SELECT * FROM branch) PARTITION BY (keys), …)`, with
 * `__eddyline_using => array(keys)` for the branches without keys of their own and
 * `__eddyline_key_names => array('name' or NULL, …)`.
 *
 * Errors, at the branch or key: EDDYLINE_COGROUP.DUPLICATE_ALIAS, KEY_COUNT_MISMATCH,
 * KEY_IS_LITERAL, WINDOW_MISMATCH, WINDOW_NESTED.
 */
object CoGroupPlaceholder {
  val NAME = "__eddyline_cogroup"
  private val USING = "__eddyline_using"
  private val KEY_NAMES = "__eddyline_key_names"
  private val WINDOWS = Set("window", "session_window")

  def apply(f: UnresolvedTableValuedFunction): LogicalPlan = {
    val options = f.functionArgs.collect {
      case NamedArgumentExpression(key @ (USING | KEY_NAMES), value) => key -> elements(value)
    }.toMap
    val typed = f.functionArgs.collect {
      case NamedArgumentExpression(alias, table: FunctionTableSubqueryArgumentExpression) =>
        val keys = if (table.partitionByExpressions.nonEmpty) table.partitionByExpressions
          else options.getOrElse(USING, Nil)
        CoGroupBranch(alias, keys, branch(table.plan))
    }
    if (typed.size + options.size != f.functionArgs.size || typed.size < 2 ||
        typed.exists(_.keys.isEmpty)) {
      throw EddylineErrors.analysis("EDDYLINE_PLACEHOLDER", Map("name" -> NAME), f.origin)
    }
    check(typed)
    val names = options.get(KEY_NAMES).fold(typed.head.keys.map(_ => Option.empty[String]))(
      _.map { case Literal(name, _) => Option(name).map(_.toString); case _ => None })
    UnresolvedCoGroup(
      typed.map(branch => branch.copy(keys = branch.keys.map(timeOrKey))),
      names,
      typed.head.keys.map(window(_).map(WindowKey)))
  }

  /**
   * `count(branch.*)` counts the rows of a branch; Spark itself refuses a qualified star there. It
   * may stand in the list, in HAVING and in ORDER BY: in any unary node over the branches.
   */
  def countStars(plan: UnaryNode): LogicalPlan = over(plan).fold[LogicalPlan](plan) { cogroup =>
    val aliases = cogroup.branches.map { case branch: CoGroupBranch => branch.alias }
    plan.mapExpressions(_.transformUp {
      case count @ UnresolvedFunction(
            name, Seq(UnresolvedStar(Some(Seq(alias)))), false, filter, _, _, _)
          if name.last.equalsIgnoreCase("count") &&
            aliases.exists(SQLConf.get.resolver(_, alias)) =>
        val branch = aliases.indexWhere(SQLConf.get.resolver(_, alias))
        val isOf = EqualTo(
          UnresolvedAttribute(Seq(CoGroupUnion.TAG)), Literal(CoGroupUnion.bit(branch)))
        count.copy(
          arguments = Seq(Literal(1)),
          filter = Some(filter.fold[Expression](isOf)(And(isOf, _))))
    })
  }

  private def over(plan: LogicalPlan): Option[UnresolvedCoGroup] = plan match {
    case cogroup: UnresolvedCoGroup => Some(cogroup)
    case _: SubqueryAlias => None
    case unary: UnaryNode => over(unary.child)
    case _ => None
  }

  private def check(branches: Seq[CoGroupBranch]): Unit = {
    val first = branches.head
    branches.zipWithIndex.foreach { case (branch, i) =>
      if (branches.take(i).exists(other => SQLConf.get.resolver(other.alias, branch.alias))) {
        fail("DUPLICATE_ALIAS", branch.child, "alias" -> branch.alias)
      }
      if (branch.keys.size != first.keys.size) {
        fail("KEY_COUNT_MISMATCH", branch.keys.head,
          "alias" -> branch.alias, "count" -> branch.keys.size.toString,
          "firstAlias" -> first.alias, "firstCount" -> first.keys.size.toString)
      }
      branch.keys.zip(first.keys).foreach { case (key, firstKey) => checkKey(key, firstKey) }
    }
  }

  private def checkKey(key: Expression, firstKey: Expression): Unit = {
    key match {
      case Literal(_, ByteType | ShortType | IntegerType | LongType) =>
        fail("KEY_IS_LITERAL", key, "key" -> key.sql)
      case _ =>
    }
    if (window(key).map(shape) != window(firstKey).map(shape)) {
      fail("WINDOW_MISMATCH", key, "window" -> key.sql, "firstWindow" -> firstKey.sql)
    }
    if (window(key).isEmpty) {
      key.collectFirst { case f: UnresolvedFunction if isCall(f, Set("session_window")) => f }
        .foreach(f => fail("WINDOW_NESTED", f, "window" -> f.sql))
    }
  }

  /** What must be the same in all branches: the function and its arguments but the time. */
  private def shape(call: UnresolvedFunction): (String, Seq[Expression]) =
    (call.nameParts.last.toLowerCase(java.util.Locale.ROOT), call.arguments.drop(1))

  private def window(key: Expression): Option[UnresolvedFunction] = key match {
    case f: UnresolvedFunction if isCall(f, WINDOWS) && f.arguments.nonEmpty => Some(f)
    case _ => None
  }

  /** Of a window its time, which is the branch's own; else the key. */
  private def timeOrKey(key: Expression): Expression = window(key).fold(key)(_.arguments.head)

  private def isCall(f: UnresolvedFunction, names: Set[String]): Boolean =
    f.nameParts.size == 1 && names(f.nameParts.head.toLowerCase(java.util.Locale.ROOT))

  private def elements(array: Expression): Seq[Expression] = array match {
    case f: UnresolvedFunction => f.arguments
    case other => Seq(other)
  }

  private def branch(plan: LogicalPlan): LogicalPlan = plan match {
    case SelectStar(relation) => relation
    case other => other
  }

  private def fail(
      condition: String,
      at: org.apache.spark.sql.catalyst.trees.WithOrigin,
      parameters: (String, String)*): Nothing =
    throw EddylineErrors.analysis(s"EDDYLINE_COGROUP.$condition", parameters.toMap, at.origin)
}
