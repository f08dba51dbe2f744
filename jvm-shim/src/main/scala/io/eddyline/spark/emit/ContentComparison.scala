package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, UnsafeProjection, UnsafeRow}

/** Compares contents of the state of [[EmitOnChangeKeyExec]] in one task. */
private[emit] class ContentComparison(state: KeyState) {

  private val tolerances: Array[(Int, Tolerance)] = state.tolerances.flatMap { column =>
    Tolerance.of(column.column.dataType, column.amount)
      .map(state.content.indexWhere(_.semanticEquals(column.column)) -> _)
  }.toArray

  private val columns: Option[ComparedContents] = {
    val tolerated = AttributeSet(state.tolerances.map(_.column))
    val exact = state.compared.filterNot(tolerated.contains)
    Option.when(!state.hashed && (tolerances.nonEmpty || state.heartbeat.nonEmpty))(
      new ComparedContents(
        UnsafeProjection.create(ComparedColumns.expressions(exact), state.content),
        UnsafeProjection.create(ComparedColumns.expressions(exact), state.content)))
  }

  /** Whether a compared column differs, or differs by more than is tolerated. */
  def differ(before: UnsafeRow, after: UnsafeRow): Boolean =
    !columns.fold(before == after)(_.agree(before, after)) ||
      !tolerances.forall { case (column, tolerance) => tolerance.covers(before, after, column) }

  /** Whether a column with a tolerance has another value; asked of rows that do not differ. */
  def isTolerated(before: UnsafeRow, after: UnsafeRow): Boolean =
    tolerances.exists { case (column, tolerance) => !tolerance.isEqual(before, after, column) }
}

/** Compares the columns of two contents that must be equal. */
private class ComparedContents(before: UnsafeProjection, after: UnsafeProjection) {
  def agree(left: UnsafeRow, right: UnsafeRow): Boolean = before(left) == after(right)
}
