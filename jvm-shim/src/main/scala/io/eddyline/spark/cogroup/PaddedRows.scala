package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions._

/**
 * Predicts the evaluation of expressions over one branch in a padded row: a row of another branch,
 * where the columns of the branch are NULL and the keys are not its own.
 *
 * @param isPadded whether a column is NULL in a padded row; a key is not
 */
private[cogroup] class PaddedRows(isPadded: Attribute => Boolean) {

  /** Whether the expression is certainly NULL in a padded row. */
  def isNull(expression: Expression): Boolean = expression match {
    case column: Attribute => isPadded(column)
    case other => other.nullIntolerant && other.children.exists(isNull)
  }

  /** Whether evaluation in a padded row is safe: it calls no user function and cannot fail. */
  def isSafe(expression: Expression): Boolean =
    (expression match {
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
