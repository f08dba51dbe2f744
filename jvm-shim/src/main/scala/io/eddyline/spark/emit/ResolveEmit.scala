package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.BooleanType

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.emit.clause.{Emit, ResultColumns}

/**
 * Checks that the columns which EMIT names are columns of the result, and finds the keys of an
 * aggregation for TOLERANCE and HEARTBEAT without KEY. It removes the clause from a batch query,
 * which reports each key once, at its end.
 *
 * Errors, at the expression: EDDYLINE_EMIT.DELETE_CONDITION_NOT_SUPPORTED, ORDERING_NOT_SUPPORTED;
 * at the clause: GROUPING_COLUMN_MISSING, KEY_IN_BATCH, NOTHING_COMPARED, NOT_OVER_AGGREGATION; and
 * those of [[CheckChangeType]], [[CheckTolerance]] and [[ResultColumns]].
 */
object ResolveEmit extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case emit: Emit if emit.child.resolved =>
      (emit.compared ++ emit.ignored ++ emit.keys).foreach(ResultColumns.named(emit, _))
      emit.ordering.foreach(checkOrdering(emit, _))
      emit.deletes.foreach(checkDeletes(emit, _))
      CheckChangeType.checkName(emit)
      if (emit.ignored.nonEmpty && emit.comparedAttributes.isEmpty) {
        emit.fail("NOTHING_COMPARED")
      }
      if (emit.isStreaming) {
        CheckTolerance(withKeys(emit, plan))
      } else if (emit.keys.nonEmpty) {
        emit.fail("KEY_IN_BATCH")
      } else {
        CheckTolerance(emit)
        Emit.recordRemoved(emit)
        emit.child
      }
  }

  /** Checks that ORDER BY depends on the row only, and that its values have an order. */
  private def checkOrdering(emit: Emit, order: SortOrder): Unit = {
    val by = order.child
    if (changesByItself(emit, by) || (by.resolved && !RowOrdering.isOrderable(by.dataType))) {
      EddylineErrors.fail("EDDYLINE_EMIT.ORDERING_NOT_SUPPORTED", order.origin,
        "expression" -> EddylineErrors.asTyped(order), "type" -> by.dataType.sql)
    }
  }

  /** Checks that APPLY AS DELETE WHEN depends on the row only, and is true or false. */
  private def checkDeletes(emit: Emit, condition: Expression): Unit =
    if (changesByItself(emit, condition) ||
      (condition.resolved && condition.dataType != BooleanType)) {
      val (typed, place) = condition match {
        case column: Attribute => column.name -> emit.origin // its own may be that of another use
        case other => EddylineErrors.asTyped(other) -> other.origin
      }
      EddylineErrors.fail("EDDYLINE_EMIT.DELETE_CONDITION_NOT_SUPPORTED", place,
        "condition" -> typed, "type" -> condition.dataType.sql)
    }

  /** Whether an expression over columns of the result depends on more than the row. */
  private def changesByItself(emit: Emit, expression: Expression): Boolean = {
    val columns = AttributeSet(emit.resultAttributes)
    expression.collectFirst {
      case column: UnresolvedAttribute => column
      case column: Attribute if !columns.contains(column) => column
    }.foreach(column => throw ResultColumns.unresolved(emit, column))
    expression.resolved && expression.exists {
      case _: AggregateExpression | _: Generator | _: PythonUDF | _: SubqueryExpression |
          _: WindowExpression | _: CurrentTimestampLike | _: CurrentDate => true
      case other => !other.deterministic
    }
  }

  /** Returns EMIT with the grouping columns as keys if its options need keys and it has none. */
  private def withKeys(emit: Emit, plan: LogicalPlan): Emit =
    if (emit.isKeyed && emit.keys.isEmpty) {
      val columns = GroupingColumns.of(emit.child, GroupingColumns.ctes(plan)).fold(
        operator => emit.fail("NOT_OVER_AGGREGATION", "operator" -> operator.nodeName),
        identity)
      columns.find(column => column.column.isEmpty || column.neverExpires).foreach { missing =>
        val name = missing.grouping match {
          case column: Attribute => column.name
          case expression => EddylineErrors.asTyped(expression)
        }
        emit.fail("GROUPING_COLUMN_MISSING", "column" -> name)
      }
      emit.copy(keys = columns.flatMap(_.column))
    } else emit
}
