package io.eddyline.spark.report

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, ToPrettyString}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.placeholder.Placeholder

/**
 * The function `__eddyline_text(value)`, which returns a value as `Dataset.show` prints it, such as
 * `{1, a}`, `{k -> v}` and `[00 FF]`. The command line prints rows by it.
 *
 * Spark has an expression for this but no function, and a client of Spark Connect can only call
 * functions.
 *
 * Errors: EDDYLINE_PLACEHOLDER.
 */
private[spark] object PrettyText extends (Seq[Expression] => Expression) {
  val NAME: FunctionIdentifier = FunctionIdentifier(Placeholder.PREFIX + "text")

  val INFO: ExpressionInfo = new ExpressionInfo(classOf[ToPrettyString].getName, NAME.funcName)

  override def apply(arguments: Seq[Expression]): Expression = arguments match {
    case Seq(value) => ToPrettyString(value)
    case _ => EddylineErrors.fail(
        "EDDYLINE_PLACEHOLDER", CurrentOrigin.get, "name" -> NAME.funcName)
  }
}
