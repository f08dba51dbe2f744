package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions._

/**
 * What becomes of an expression in a padded row, where the columns of its branch are NULL and the
 * keys are those of another branch.
 *
 * @param isPadded whether a column belongs to a branch; a key does not
 */
private[cogroup] class PaddedRows(isPadded: Attribute => Boolean) {

  /** Whether it is NULL there. */
  def isNull(expression: Expression): Boolean = expression match {
    case column: Attribute => isPadded(column)
    case other => other.nullIntolerant && other.children.exists(isNull)
  }

  /** Whether it can be evaluated there: no function of a user sees the row, and nothing fails. */
  def isSafe(expression: Expression): Boolean = (expression match {
    case _: UserDefinedExpression => false
    case _: Attribute | _: Literal => true
    case cast: Cast => isNull(cast) || Cast.canUpCast(cast.child.dataType, cast.dataType)
    case _: IsNull | _: IsNotNull | _: Not | _: And | _: Or | _: BinaryComparison | _: In |
        _: Coalesce | _: If | _: CaseWhen | _: CreateNamedStruct | _: CreateArray |
        _: GetStructField | _: SortOrder =>
      true
    case other => isNull(other)
  }) && expression.children.forall(isSafe)
}
