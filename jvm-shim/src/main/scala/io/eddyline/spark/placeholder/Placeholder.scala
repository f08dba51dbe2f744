package io.eddyline.spark.placeholder

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.base.EddylineErrors

/**
 * Reads the calls that the lowering writes in place of one clause. [[parser.EddylineParser]] gets
 * the readers of all clauses and asks each in turn.
 */
trait Placeholder {

  /** Returns the clause's node for its table function in a query; None for any other function. */
  def node(call: PlaceholderArguments): Option[LogicalPlan] = None

  /**
   * Returns the command for a table function that is a whole statement; None for any other.
   *
   * @param lowered returns the text of a query as a catalog stores it, which needs no Python
   */
  def statement(call: PlaceholderArguments, lowered: String => String): Option[LogicalPlan] = None

  /** Returns the clause's command for a plan that is a whole statement; None for any other plan. */
  def command(plan: LogicalPlan, lowered: String => String): Option[LogicalPlan] = plan match {
    case SelectStar(f: UnresolvedTableValuedFunction) =>
      CurrentOrigin.withOrigin(f.origin)(statement(PlaceholderArguments.of(f), lowered))
    case _ => None
  }

  /** Whether the node is a whole query, so that the lowering's `SELECT *` above it is dropped. */
  def isQuery(node: LogicalPlan): Boolean = false
}

object Placeholder {

  /** The prefix of the names of all placeholders, in lower case. */
  val PREFIX = "__eddyline_"

  /**
   * Raises Spark's syntax error for an argument that is read as a call of a function `table`: the
   * user wrote words there that are no query but an expression, such as `TABLE AND t`.
   */
  def requireQueries(function: UnresolvedTableValuedFunction): Unit =
    if (function.name.head.toLowerCase(Locale.ROOT).startsWith(PREFIX)) {
      function.functionArgs.map {
        case NamedArgumentExpression(_, value) => value
        case other => other
      }.foreach {
        case call: UnresolvedFunction if call.nameParts.mkString.equalsIgnoreCase("table") =>
          call.arguments.headOption.foreach(words =>
            EddylineErrors.fail("PARSE_SYNTAX_ERROR", words.origin,
              "error" -> s"'${EddylineErrors.asTyped(words)}'", "hint" -> ""))
        case _ =>
      }
    }
}

/** Matches the `SELECT *` that the lowering writes, and extracts the relation below it. */
object SelectStar {

  /** The relation below it, or the plan itself if there is none. */
  def below(plan: LogicalPlan): LogicalPlan = plan match {
    case SelectStar(relation) => relation
    case other => other
  }

  def unapply(project: Project): Option[LogicalPlan] = project match {
    case Project(Seq(UnresolvedStar(None)), child) => Some(child)
    case _ => None
  }
}

/** A command that stores its statement, and so needs the text before variables are replaced. */
trait StatementText {

  /** The statement as typed. */
  def text: String

  /** Returns the command with another text, which is the whole statement. */
  def withText(text: String): LogicalPlan
}
