package io.eddyline.spark.emit.keyed

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, UnsafeProjection, UnsafeRow}

import io.eddyline.spark.emit.aggregate.ComparedColumns
import io.eddyline.spark.emit.clause.Tolerance

/** Compares rows, or their hashes, in the state of [[EmitOnChangeKeyExec]], in one task. */
private[emit] class ContentComparison(state: KeyState) {

  private val tolerances: Array[(Int, Tolerance)] = state.tolerances.flatMap { column =>
    Tolerance.of(column.column.dataType, column.amount)
      .map(state.content.indexWhere(_.semanticEquals(column.column)) -> _)
  }.toArray

  /** The projections to the columns that must be equal, of each side; None if all must be. */
  private val exact: Option[(UnsafeProjection, UnsafeProjection)] = {
    val tolerated = AttributeSet(state.tolerances.map(_.column))
    val columns = ComparedColumns.expressions(state.compared.filterNot(tolerated.contains))
    def projection = UnsafeProjection.create(columns, state.content)
    Option.when(tolerances.nonEmpty || state.keepsRow)((projection, projection))
  }

  /** Whether a compared column differs, by more than TOLERANCE if it has one. */
  def differ(before: UnsafeRow, after: UnsafeRow): Boolean = {
    val agree = exact.fold(before == after) { case (ofBefore, ofAfter) =>
      ofBefore(before) == ofAfter(after)
    }
    !agree ||
    !tolerances.forall { case (column, tolerance) => tolerance.covers(before, after, column) }
  }

  /** Whether a column with TOLERANCE has another value, in rows that do not differ. */
  def isTolerated(before: UnsafeRow, after: UnsafeRow): Boolean =
    tolerances.exists { case (column, tolerance) => !tolerance.isEqual(before, after, column) }
}
