package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.emit.clause.{ColumnTolerance, Emit, ResultColumns, Tolerance}

/**
 * Checks the amounts of TOLERANCE, and turns an amount for all columns into one for each column
 * whose type fits.
 *
 * Errors, at the amount or column: EDDYLINE_EMIT.DUPLICATE_TOLERANCE, INVALID_TOLERANCE,
 * NOTHING_TOLERATED, TOLERANCE_NOT_COMPARED, TOLERANCE_TYPE_MISMATCH, UNRESOLVED_COLUMN.
 */
private[emit] object CheckTolerance {

  /** Returns EMIT, whose keys are known, with a [[ColumnTolerance]] for each column. */
  def apply(emit: Emit): Emit = {
    val compared = emit.comparedAttributes.filterNot(AttributeSet(emit.keyAttributes).contains)
    emit.copy(tolerances = emit.tolerances.flatMap {
      case column: ColumnTolerance => Seq(checked(emit, column, compared))
      case amount => spread(amount, compared)
    }.foldLeft(Seq.empty[ColumnTolerance])(withoutDuplicate))
  }

  private def checked(
      emit: Emit, tolerance: ColumnTolerance, compared: Seq[Attribute]): ColumnTolerance = {
    val column = ResultColumns.named(emit, tolerance.column)
    requireAmount(tolerance.amount)
    val name = "column" -> EddylineErrors.asTyped(tolerance)
    if (!compared.exists(_.semanticEquals(column))) {
      EddylineErrors.fail("EDDYLINE_EMIT.TOLERANCE_NOT_COMPARED", tolerance.origin, name)
    }
    if (Tolerance.of(column.dataType, tolerance.amount).isEmpty) {
      EddylineErrors.fail("EDDYLINE_EMIT.TOLERANCE_TYPE_MISMATCH", tolerance.amount.origin, name,
        "type" -> column.dataType.sql, "amount" -> EddylineErrors.asTyped(tolerance.amount))
    }
    tolerance
  }

  private def spread(amount: Expression, compared: Seq[Attribute]): Seq[ColumnTolerance] = {
    requireAmount(amount)
    val columns = compared.filter(column => Tolerance.of(column.dataType, amount).nonEmpty)
    if (columns.isEmpty) {
      EddylineErrors.fail("EDDYLINE_EMIT.NOTHING_TOLERATED", amount.origin,
        "amount" -> EddylineErrors.asTyped(amount))
    }
    columns.map(ColumnTolerance(_, amount))
  }

  private def requireAmount(amount: Expression): Unit =
    if (!Tolerance.isAmount(amount)) {
      EddylineErrors.fail("EDDYLINE_EMIT.INVALID_TOLERANCE", amount.origin,
        "amount" -> EddylineErrors.asTyped(amount))
    }

  private def withoutDuplicate(
      earlier: Seq[ColumnTolerance], next: ColumnTolerance): Seq[ColumnTolerance] = {
    if (earlier.exists(_.column.semanticEquals(next.column))) {
      EddylineErrors.fail("EDDYLINE_EMIT.DUPLICATE_TOLERANCE", next.origin,
        "column" -> EddylineErrors.asTyped(next))
    }
    earlier :+ next
  }
}
