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
 * Checks the operators below EMIT ON CHANGE. Over an aggregation the previous result is computed
 * again from the state, so it must depend on the state only. With KEY the row last emitted is
 * stored, so only compared values are refused that change by themselves, such as the current time.
 *
 * Errors, at the clause: EDDYLINE_EMIT.NOT_OVER_AGGREGATION; at the expression: NON_DETERMINISTIC,
 * NON_DETERMINISTIC_CONDITION, SUBQUERY_IN_RESULT.
 */
private[emit] object CheckEmitResult {

  def apply(emit: Emit): Unit = check(emit, emit.child, AttributeSet(emit.comparedAttributes))

  /**
   * Checks `plan` and the operators below it.
   *
   * @param compared the columns of `plan` on which the comparison depends
   */
  private def check(emit: Emit, plan: LogicalPlan, compared: AttributeSet): Unit = plan match {
    case Project(list, child) => check(emit, child, checkProjection(emit, list, compared))
    case Filter(condition, child) =>
      if (!emit.isKeyed) requireSame(condition, "NON_DETERMINISTIC_CONDITION")
      checkExpression(emit, condition)
      check(emit, child, compared ++ condition.references)
    case SubqueryAlias(_, child) => check(emit, child, compared)
    case view: View => check(emit, view.child, compared)
    case aggregate: Aggregate => checkProjection(emit, withoutPythonKeys(aggregate), compared)
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

  /** Returns the columns without keys that are Python functions: Spark computes them below. */
  private def withoutPythonKeys(aggregate: Aggregate): Seq[NamedExpression] = {
    val keys = aggregate.groupingExpressions.filter(_.exists(_.isInstanceOf[PythonUDF]))
    aggregate.aggregateExpressions.map(_.transformDown {
      case e if keys.exists(_.semanticEquals(e)) => Literal.create(null, e.dataType)
    }.asInstanceOf[NamedExpression])
  }

  /** Checks a projection; returns the columns below it on which the comparison depends. */
  private def checkProjection(
      emit: Emit, list: Seq[NamedExpression], compared: AttributeSet): AttributeSet = {
    val below = list.filter(column => compared.contains(column.toAttribute))
    below.foreach(requireSame(_, "NON_DETERMINISTIC"))
    list.foreach(checkExpression(emit, _))
    AttributeSet(below)
  }

  /** Refuses an expression whose value may change while its row stays the same. */
  private def requireSame(expression: Expression, condition: String): Unit =
    withoutAggregateArguments(expression).find(changesByItself)
      .foreach(refuse(condition, "expression", _))

  private def checkExpression(emit: Emit, expression: Expression): Unit = if (!emit.isKeyed) {
    val own = withoutAggregateArguments(expression)
    own.find(_.isInstanceOf[SubqueryExpression])
      .foreach(refuse("SUBQUERY_IN_RESULT", "subquery", _))
    if (own.exists(_.isInstanceOf[PythonUDF])) {
      emit.fail("NOT_OVER_AGGREGATION", "operator" -> "a Python function")
    }
  }

  /** Returns an expression without its aggregates, whose values the state has. */
  private def withoutAggregateArguments(expression: Expression): Expression =
    expression.transform { case e: AggregateExpression => e.resultAttribute }

  private def changesByItself(expression: Expression): Boolean = expression match {
    case _: CurrentTimestampLike | _: CurrentDate | _: LocalTimestamp | _: CurrentTime => true
    case cast: Cast => isSpecialTime(cast)
    case other => !other.deterministic && other.children.forall(_.deterministic)
  }

  /** Whether a cast is like `CAST('now' AS TIMESTAMP)`, which each micro-batch computes anew. */
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
