package io.eddyline.spark.emit

import java.time.Duration

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.base.{EddylineErrors, Intervals}
import io.eddyline.spark.emit.clause.{ChangeType, ColumnTolerance, Emit, EmitStrategy, Heartbeat}
import io.eddyline.spark.placeholder.{ArgumentWords, Placeholder}

/**
 * Reads `__eddyline_emit(TABLE(query), strategy => 'change', every => INTERVAL …,
 * compared => array(columns), ignored => array(columns), keys => array(columns),
 * ordering => expression, expiry => INTERVAL …, deletes => condition, tolerance => amount,
 * heartbeat => INTERVAL …, change_type => 'name', before => true)`; the tolerance may also be an
 * array of columns, each with its amount after it.
 *
 * Errors: EDDYLINE_EMIT.INVALID_INTERVAL at the interval.
 */
object EmitPlaceholder extends Placeholder {
  private val NAME = "__eddyline_emit"
  private val WORDS = ArgumentWords.of(NAME)

  override def node(f: UnresolvedTableValuedFunction): Option[LogicalPlan] =
    Option.when(Placeholder.isCalled(f, NAME))(emit(f))

  override def isQuery(node: LogicalPlan): Boolean = node.isInstanceOf[Emit]

  private def emit(f: UnresolvedTableValuedFunction): LogicalPlan = {
    val arguments = f.functionArgs.drop(1).collect {
      case NamedArgumentExpression(name, value) => name -> value
    }.toMap
    def columns(name: String): Seq[Expression] = arguments.get(name).toSeq.flatMap(_.children)
    def duration(name: String): Option[Duration] = arguments.get(name).map(interval(_, WORDS(name)))
    val typed =
      for {
        query <- f.functionArgs.headOption.collect {
          case table: FunctionTableSubqueryArgumentExpression => table.plan
        }
        place <- arguments.get("strategy")
        strategy <- EmitStrategy.byName(place.toString)
        if (arguments.keySet -- WORDS.keySet).isEmpty
      } yield CurrentOrigin.withOrigin(place.origin) {
        val changeType = arguments.get("change_type")
          .map(name => ChangeType(name.toString, arguments.contains("before")))
        Emit(
          strategy,
          duration("every"),
          columns("compared"),
          columns("ignored"),
          columns("keys"),
          arguments.get("ordering").map(ascending),
          duration("expiry"),
          arguments.get("deletes"),
          arguments.get("tolerance").toSeq.flatMap(tolerances),
          duration("heartbeat").map(Heartbeat(CurrentTimestamp(), _)),
          changeType,
          changeType.fold(query)(_.addTo(query)))
      }
    typed.getOrElse(throw Placeholder.refused(NAME, f.origin))
  }

  /** Returns an order with the position of its expression, which Spark may change in a column. */
  private def ascending(by: Expression): SortOrder =
    CurrentOrigin.withOrigin(by.origin)(SortOrder(by, Ascending))

  private def tolerances(amounts: Expression): Seq[Expression] = amounts match {
    case list: UnresolvedFunction => list.arguments.grouped(2).collect {
        case Seq(column, amount) =>
          CurrentOrigin.withOrigin(column.origin)(ColumnTolerance(column, amount))
      }.toSeq
    case amount => Seq(amount)
  }

  private def interval(expression: Expression, option: String): Duration =
    Intervals.positive(expression).getOrElse(
      EddylineErrors.fail("EDDYLINE_EMIT.INVALID_INTERVAL", expression.origin,
        "interval" -> EddylineErrors.asTyped(expression), "option" -> option))
}
