package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments, SelectStar}

/**
 * Reads `__eddyline_cogroup(alias => TABLE(SELECT * FROM branch) PARTITION BY (keys), …)`, with the
 * optional arguments `__eddyline_using => array(keys)` for the branches without keys of their own
 * and `__eddyline_key_names => array('name' or NULL, …)`, NULL for a key without AS.
 *
 * Errors, at the branch or key: EDDYLINE_COGROUP.DUPLICATE_ALIAS, KEY_COUNT_MISMATCH,
 * KEY_IS_LITERAL, WINDOW_MISMATCH, WINDOW_NESTED, WINDOW_NOT_CONSTANT.
 */
object CoGroupPlaceholder extends Placeholder {
  private val USING = "__eddyline_using"
  private val KEY_NAMES = "__eddyline_key_names"
  private val WINDOWS = Set("window", "session_window")

  override def node(call: PlaceholderArguments): Option[LogicalPlan] =
    Option.when(call.function == "__eddyline_cogroup")(coGroup(call))

  private def coGroup(call: PlaceholderArguments): LogicalPlan = {
    val options = call.named.collect {
      case (key @ (USING | KEY_NAMES), list: UnresolvedFunction) => key -> list.arguments
    }.toMap
    val branches = call.named.collect {
      case (alias, table: FunctionTableSubqueryArgumentExpression) =>
        val keys = if (table.partitionByExpressions.nonEmpty) table.partitionByExpressions
        else options.getOrElse(USING, Nil)
        CoGroupBranch(alias, keys, keys.map(_.origin), SelectStar.below(table.plan))
    }
    if (branches.size + options.size != call.size || branches.size < 2 ||
      branches.exists(_.keys.isEmpty)) call.refused()
    check(branches)
    val names = options.get(KEY_NAMES).fold(branches.head.keys.map(_ => Option.empty[String]))(
      _.map { case Literal(name, _) => Option(name).map(_.toString); case _ => None })
    UnresolvedCoGroup(
      branches.map { branch =>
        // of a window only the time column: Spark makes the windows above the union
        val keys = branch.keys.map(key => window(key).fold(key)(_.arguments.head))
        branch.copy(keys = keys, places = keys.map(_.origin))
      },
      names,
      branches.head.keys.map(window(_).map(WindowKey)))
  }

  private def check(branches: Seq[CoGroupBranch]): Unit = {
    val first = branches.head
    branches.zipWithIndex.foreach { case (branch, i) =>
      if (branches.take(i).exists(other => SQLConf.get.resolver(other.alias, branch.alias))) {
        EddylineErrors.fail(
          "EDDYLINE_COGROUP.DUPLICATE_ALIAS", branch.child.origin, "alias" -> branch.alias)
      }
      if (branch.keys.size != first.keys.size) {
        EddylineErrors.fail("EDDYLINE_COGROUP.KEY_COUNT_MISMATCH", branch.keys.head.origin,
          "alias" -> branch.alias, "count" -> branch.keys.size.toString,
          "firstAlias" -> first.alias, "firstCount" -> first.keys.size.toString)
      }
      branch.keys.zip(first.keys).foreach { case (key, firstKey) => checkKey(key, firstKey) }
    }
  }

  private def checkKey(key: Expression, firstKey: Expression): Unit = {
    key match {
      case Literal(_, ByteType | ShortType | IntegerType | LongType) =>
        EddylineErrors.fail("EDDYLINE_COGROUP.KEY_IS_LITERAL", key.origin, "key" -> key.sql)
      case _ =>
    }
    for {
      call <- window(key)
      column <- call.arguments.tail.flatMap(_.collectFirst { case c: UnresolvedAttribute => c })
    } EddylineErrors.fail("EDDYLINE_COGROUP.WINDOW_NOT_CONSTANT", column.origin,
      "column" -> column.sql, "window" -> key.sql)
    if (window(key).map(withoutTime) != window(firstKey).map(withoutTime)) {
      EddylineErrors.fail("EDDYLINE_COGROUP.WINDOW_MISMATCH", key.origin,
        "window" -> key.sql, "firstWindow" -> firstKey.sql)
    }
    if (window(key).isEmpty) { // sessions merge across branches only if they are a key themselves
      key.collectFirst { case f: UnresolvedFunction if isCall(f, Set("session_window")) => f }
        .foreach { f =>
          EddylineErrors.fail("EDDYLINE_COGROUP.WINDOW_NESTED", f.origin, "window" -> f.sql)
        }
    }
  }

  /** Returns what must be equal in the window keys of all branches: all except the time. */
  private def withoutTime(call: UnresolvedFunction): (String, Seq[Any]) =
    (call.nameParts.last.toLowerCase(java.util.Locale.ROOT),
      call.arguments.drop(1).map {
        case text @ Literal(value: UTF8String, _) =>
          Option(IntervalUtils.safeStringToInterval(value)).getOrElse(text)
        case other => other
      })

  private def window(key: Expression): Option[UnresolvedFunction] = key match {
    case f: UnresolvedFunction if isCall(f, WINDOWS) && f.arguments.nonEmpty => Some(f)
    case _ => None
  }

  private def isCall(f: UnresolvedFunction, names: Set[String]): Boolean =
    f.nameParts.size == 1 && names(f.nameParts.head.toLowerCase(java.util.Locale.ROOT))
}
