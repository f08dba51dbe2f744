package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.emit.clause.{ChangeType, ColumnTolerance, Emit, EmitStrategy, Heartbeat}
import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments}

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

  override def node(call: PlaceholderArguments): Option[LogicalPlan] =
    Option.when(call.function == NAME)(emit(call))

  override def isQuery(node: LogicalPlan): Boolean = node.isInstanceOf[Emit]

  private def emit(call: PlaceholderArguments): LogicalPlan = {
    call.requireKnown()
    def interval(name: String) = call.interval(name, "EDDYLINE_EMIT")
    val strategy = call.text("strategy").flatMap(EmitStrategy.byName).getOrElse(call.refused())
    val changeType = call.text("change_type").map(ChangeType(_, call.contains("before")))
    CurrentOrigin.withOrigin(call.place("strategy")) {
      Emit(
        strategy,
        interval("every"),
        call.expressions("compared"),
        call.expressions("ignored"),
        call.expressions("keys"),
        // its order keeps the typed position, as a resolved column may get another
        call.expression("ordering").map(by =>
          CurrentOrigin.withOrigin(by.origin)(SortOrder(by, Ascending))),
        interval("expiry"),
        call.expression("deletes"),
        call.expression("tolerance").toSeq.flatMap(tolerances),
        interval("heartbeat").map(Heartbeat(CurrentTimestamp(), _)),
        changeType,
        changeType.fold(call.query)(_.addTo(call.query)))
    }
  }

  /** Returns one amount for all columns, or the amount of each column in an `array`. */
  private def tolerances(amounts: Expression): Seq[Expression] = amounts match {
    case array: UnresolvedFunction => array.arguments.grouped(2).collect {
        case Seq(column, amount) =>
          CurrentOrigin.withOrigin(column.origin)(ColumnTolerance(column, amount))
      }.toSeq
    case amount => Seq(amount)
  }
}
