package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.emit.clause.{ColumnTolerance, Emit, ResultColumns, Tolerance}

/**
 * Checks the amounts of TOLERANCE, and gives one amount for all columns to each that it fits.
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
      throw EddylineErrors.analysis(
        "EDDYLINE_EMIT.TOLERANCE_NOT_COMPARED", Map(name), tolerance.origin)
    }
    if (Tolerance.of(column.dataType, tolerance.amount).isEmpty) {
      throw EddylineErrors.analysis("EDDYLINE_EMIT.TOLERANCE_TYPE_MISMATCH",
        Map(name, "type" -> column.dataType.sql,
          "amount" -> EddylineErrors.asTyped(tolerance.amount)),
        tolerance.amount.origin)
    }
    tolerance
  }

  private def spread(amount: Expression, compared: Seq[Attribute]): Seq[ColumnTolerance] = {
    requireAmount(amount)
    val columns = compared.filter(column => Tolerance.of(column.dataType, amount).nonEmpty)
    if (columns.isEmpty) {
      throw EddylineErrors.analysis("EDDYLINE_EMIT.NOTHING_TOLERATED",
        Map("amount" -> EddylineErrors.asTyped(amount)), amount.origin)
    }
    columns.map(ColumnTolerance(_, amount))
  }

  private def requireAmount(amount: Expression): Unit =
    if (!Tolerance.isAmount(amount)) {
      throw EddylineErrors.analysis("EDDYLINE_EMIT.INVALID_TOLERANCE",
        Map("amount" -> EddylineErrors.asTyped(amount)), amount.origin)
    }

  private def withoutDuplicate(
      earlier: Seq[ColumnTolerance], next: ColumnTolerance): Seq[ColumnTolerance] = {
    if (earlier.exists(_.column.semanticEquals(next.column))) {
      throw EddylineErrors.analysis("EDDYLINE_EMIT.DUPLICATE_TOLERANCE",
        Map("column" -> EddylineErrors.asTyped(next)), next.origin)
    }
    earlier :+ next
  }
}
