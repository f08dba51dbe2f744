package io.eddyline.spark.placeholder

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.Locale

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

import io.eddyline.spark.base.{EddylineErrors, Intervals}

/**
 * The arguments of a placeholder.
 *
 * Errors: EDDYLINE_PLACEHOLDER, if an argument is not as the lowering writes it.
 *
 * @param function its name in lower case
 */
class PlaceholderArguments(val function: String, arguments: Seq[Expression], val origin: Origin) {

  /** Those that have a name, in their order. */
  val named: Seq[(String, Expression)] = arguments.collect {
    case NamedArgumentExpression(name, value) => name -> value
  }
  private val values = named.toMap

  def size: Int = arguments.size

  /** The query before the named arguments. */
  def query: LogicalPlan = arguments.headOption match {
    case Some(argument: FunctionTableSubqueryArgumentExpression) => argument.plan
    case _ => refused()
  }

  /** Checks that all named arguments are those of the function. */
  def requireKnown(): Unit =
    if ((values.keySet -- ArgumentWords.of(function).keySet).nonEmpty) refused()

  def contains(name: String): Boolean = values.contains(name)

  def expression(name: String): Option[Expression] = values.get(name)

  /** The position of an argument, or of the whole call if the argument is absent. */
  def place(name: String): Origin = values.get(name).fold(origin)(_.origin)

  def text(name: String): Option[String] = values.get(name).map {
    case Literal(value, _) if value != null => value.toString
    case _ => refused()
  }

  /** Returns a text as the user typed it, which the lowering writes as a binary literal. */
  def typedText(name: String): String = values.get(name) match {
    case Some(Literal(bytes: Array[Byte], _)) => new String(bytes, UTF_8)
    case _ => refused()
  }

  /** Returns the keys and values of a `map`, in the order they were typed. */
  def pairs(name: String): Seq[(String, String)] =
    expressions(name).map {
      case cast: Cast => cast.child.toString
      case other => other.toString
    }.grouped(2).collect { case Seq(key, value) => key -> value }.toSeq

  /** Returns the expressions in an `array`; none if the argument is absent. */
  def expressions(name: String): Seq[Expression] = values.get(name).toSeq.flatMap(_.children)

  def columns(name: String): Seq[UnresolvedAttribute] =
    expressions(name).collect { case column: UnresolvedAttribute => column }

  /**
   * Returns the length of an interval; None if the argument is absent. Errors:
   * `<condition>.INVALID_INTERVAL`.
   *
   * @param condition the main condition of the clause's errors
   */
  def interval(name: String, condition: String): Option[Duration] = values.get(name).map { value =>
    val clause = ArgumentWords.of(function)(name)
    Intervals.positive(value).getOrElse(
      EddylineErrors.fail(s"$condition.INVALID_INTERVAL", value.origin,
        "clause" -> clause, "interval" -> EddylineErrors.asTyped(value)))
  }

  def table(name: String): LogicalPlan = values.get(name) match {
    case Some(argument: FunctionTableSubqueryArgumentExpression) => argument.plan match {
        // Spark 4.1 leaves IDENTIFIER of a literal for the analyzer
        case plan @ PlanWithUnresolvedIdentifier(name: Literal, _, _) =>
          CurrentOrigin.withOrigin(plan.origin) {
            UnresolvedRelation(IdentifierResolution.evalIdentifierExpr(name))
          }
        case plan => plan
      }
    case _ => refused()
  }

  def refused(): Nothing = EddylineErrors.fail("EDDYLINE_PLACEHOLDER", origin, "name" -> function)
}

object PlaceholderArguments {
  def of(f: UnresolvedTableValuedFunction): PlaceholderArguments = new PlaceholderArguments(
    f.name.mkString(".").toLowerCase(Locale.ROOT), f.functionArgs, f.origin)
}
