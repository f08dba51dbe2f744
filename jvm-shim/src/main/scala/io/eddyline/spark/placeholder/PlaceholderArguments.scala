package io.eddyline.spark.placeholder

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.Locale

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.{EddylineErrors, Intervals}

/**
 * The named arguments of a placeholder that stands for a statement.
 *
 * Errors: EDDYLINE_PLACEHOLDER, if an argument is not as the lowering writes it, and
 * `<condition>.INVALID_INTERVAL`.
 *
 * @param condition the main condition of the clause's errors
 */
class PlaceholderArguments(
    val function: String,
    arguments: Seq[Expression],
    val origin: Origin,
    condition: String) {
  private val values = arguments.collect {
    case NamedArgumentExpression(name, value) => name -> value
  }.toMap

  def contains(name: String): Boolean = values.contains(name)

  def expression(name: String): Option[Expression] = values.get(name)

  /** Where an argument stands; without it, the whole call. */
  def place(name: String): Origin = values.get(name).fold(origin)(_.origin)

  def text(name: String): Option[String] =
    values.get(name).collect { case Literal(value, _) if value != null => value.toString }

  /** A text of the user, which is written as hexadecimal digits. */
  def typedText(name: String): String = values.get(name) match {
    case Some(Literal(bytes: Array[Byte], _)) => new String(bytes, UTF_8)
    case _ => refused()
  }

  /** Keys and values of a `map`, in the order they were typed. */
  def pairs(name: String): Seq[(String, String)] =
    values.get(name).toSeq.flatMap(_.children).map {
      case cast: Cast => cast.child.toString
      case other => other.toString
    }.grouped(2).collect { case Seq(key, value) => key -> value }.toSeq

  /** The columns of an `array`. */
  def columns(name: String): Seq[UnresolvedAttribute] =
    values.get(name).toSeq.flatMap(_.children).collect {
      case column: UnresolvedAttribute => column
    }

  /** @param clause as the user writes it */
  def interval(name: String, clause: String): Option[Duration] = values.get(name).map { value =>
    Intervals.positive(value).getOrElse(
      throw EddylineErrors.analysis(s"$condition.INVALID_INTERVAL",
        Map("clause" -> clause, "interval" -> EddylineErrors.typed(value)), value.origin))
  }

  def table(name: String): LogicalPlan = values.get(name) match {
    case Some(argument: FunctionTableSubqueryArgumentExpression) => argument.plan
    case _ => refused()
  }

  def refused(): Nothing = throw EddylineErrors.analysis(
    "EDDYLINE_PLACEHOLDER", Map("name" -> function), origin)
}

object PlaceholderArguments {
  def of(f: UnresolvedTableValuedFunction, condition: String): PlaceholderArguments =
    new PlaceholderArguments(
      f.name.mkString(".").toLowerCase(Locale.ROOT), f.functionArgs, f.origin, condition)
}
