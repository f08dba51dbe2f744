package io.eddyline.spark.emit

import java.time.ZoneOffset

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.emit.clause.Emit

/**
 * Checks the operators between EMIT ON CHANGE and the state. Over an aggregation the previous
 * result is computed again from the state, so it must be a function of the state alone. With KEY
 * the last emitted row is stored, so only compared values that change by themselves are refused.
 *
 * Errors, at the clause: EDDYLINE_EMIT.NOT_OVER_AGGREGATION; at the expression: NON_DETERMINISTIC,
 * NON_DETERMINISTIC_CONDITION, SUBQUERY_IN_RESULT.
 */
private[emit] object CheckEmitResult {

  def apply(emit: Emit): Unit =
    check(emit, emit.child, AttributeSet(emit.comparedAttributes))

  /**
   * Checks `plan` and the operators below it.
   *
   * @param compared the columns of `plan` that the comparison depends on
   */
  private def check(emit: Emit, plan: LogicalPlan, compared: AttributeSet): Unit = plan match {
    case Project(list, child) => check(emit, child, through(emit, list, compared))
    case Filter(condition, child) =>
      if (!emit.isKeyed) requireSame(condition, "NON_DETERMINISTIC_CONDITION")
      checkExpression(emit, condition)
      check(emit, child, compared ++ condition.references)
    case SubqueryAlias(_, child) => check(emit, child, compared)
    case view: View => check(emit, view.child, compared)
    case aggregate: Aggregate => through(emit, withoutPythonKeys(aggregate), compared)
    case _: Distinct =>
    case Union(branches, _, _) if emit.isKeyed =>
      branches.foreach { branch =>
        val columns = plan.output.zip(branch.output).collect {
          case (column, ofBranch) if compared.contains(column) => ofBranch
        }
        check(emit, branch, AttributeSet(columns))
      }
    case _ if emit.isKeyed => plan.children.foreach(check(emit, _, compared))
    case other => emit.fail("NOT_OVER_AGGREGATION", "operator" -> other.nodeName)
  }

  /** Replaces Python functions that are grouping keys: Spark evaluates them below. */
  private def withoutPythonKeys(aggregate: Aggregate): Seq[NamedExpression] = {
    val keys = aggregate.groupingExpressions.filter(_.exists(_.isInstanceOf[PythonUDF]))
    aggregate.aggregateExpressions.map(_.transformDown {
      case e if keys.exists(_.semanticEquals(e)) => Literal.create(null, e.dataType)
    }.asInstanceOf[NamedExpression])
  }

  /** Checks a projection; returns the columns below it that the comparison depends on. */
  private def through(
      emit: Emit, list: Seq[NamedExpression], compared: AttributeSet): AttributeSet = {
    val below = list.filter(column => compared.contains(column.toAttribute))
    below.foreach(requireSame(_, "NON_DETERMINISTIC"))
    list.foreach(checkExpression(emit, _))
    AttributeSet(below)
  }

  private def requireSame(expression: Expression, condition: String): Unit =
    finishing(expression).find(changesByItself).foreach(refuse(condition, "expression", _))

  private def checkExpression(emit: Emit, expression: Expression): Unit = if (!emit.isKeyed) {
    val finishing = this.finishing(expression)
    finishing.find(_.isInstanceOf[SubqueryExpression])
      .foreach(refuse("SUBQUERY_IN_RESULT", "subquery", _))
    if (finishing.exists(_.isInstanceOf[PythonUDF])) {
      emit.fail("NOT_OVER_AGGREGATION", "operator" -> "a Python function")
    }
  }

  /** The expression without the arguments of aggregates, whose values are stored in the state. */
  private def finishing(expression: Expression): Expression =
    expression.transform { case e: AggregateExpression => e.resultAttribute }

  private def changesByItself(expression: Expression): Boolean = expression match {
    case _: CurrentTimestampLike | _: CurrentDate | _: LocalTimestamp | _: CurrentTime => true
    case cast: Cast => isSpecialTime(cast)
    case other => !other.deterministic && other.children.forall(_.deterministic)
  }

  /** Whether this is `CAST('now' AS TIMESTAMP)` or similar, a new literal in each micro-batch. */
  private def isSpecialTime(cast: Cast): Boolean = (cast.child, cast.dataType) match {
    case (Literal(text, _: StringType), DateType | TimestampType | TimestampNTZType)
        if text != null && !"epoch".equalsIgnoreCase(text.toString.trim) =>
      DateTimeUtils.convertSpecialTimestamp(text.toString, ZoneOffset.UTC).isDefined
    case _ => false
  }

  private def refuse(condition: String, parameter: String, expression: Expression): Nothing =
    EddylineErrors.fail(s"EDDYLINE_EMIT.$condition", expression.origin,
      parameter -> EddylineErrors.asTyped(expression))
}
