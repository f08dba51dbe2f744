package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.EddylineErrors

/**
 * Checks that the columns that EMIT names are columns of the result. It removes the clause from a
 * batch query, which reports each key once, at its end.
 *
 * Errors, at the column: EDDYLINE_EMIT.UNRESOLVED_COLUMN; at the clause: NOTHING_COMPARED,
 * KEY_IN_BATCH.
 */
object ResolveEmit extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case emit: Emit if emit.child.resolved =>
      (emit.compared ++ emit.ignored ++ emit.keys).foreach(requireColumn(emit, _))
      if (emit.ignored.nonEmpty && emit.comparedAttributes.isEmpty) {
        throw EddylineErrors.analysis("EDDYLINE_EMIT.NOTHING_COMPARED", Map.empty, emit.origin)
      }
      if (emit.isStreaming) {
        emit
      } else if (emit.keys.nonEmpty) {
        throw EddylineErrors.analysis("EDDYLINE_EMIT.KEY_IN_BATCH", Map.empty, emit.origin)
      } else {
        Emit.recordRemoved(emit)
        emit.child
      }
  }

  private def requireColumn(emit: Emit, column: Expression): Unit = column match {
    case a: Attribute if a.resolved && emit.child.outputSet.contains(a) =>
    case other =>
      throw EddylineErrors.analysis("EDDYLINE_EMIT.UNRESOLVED_COLUMN",
        Map("column" -> EddylineErrors.typed(other),
          "columns" -> emit.output.map(_.name).mkString(", ")),
        other.origin)
  }
}
