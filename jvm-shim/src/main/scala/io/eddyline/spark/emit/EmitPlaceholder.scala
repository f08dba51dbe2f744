package io.eddyline.spark.emit

import java.time.Duration

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.{EddylineErrors, Intervals}
import io.eddyline.spark.placeholder.Placeholder

/**
 * Reads `__eddyline_emit(TABLE(query), strategy => 'change', every => INTERVAL …,
 * compared => array(columns), ignored => array(columns), keys => array(columns))`.
 *
 * Errors: EDDYLINE_EMIT.INVALID_INTERVAL at the interval.
 */
object EmitPlaceholder extends Placeholder {
  private val NAME = "__eddyline_emit"
  private val LISTS = Set("compared", "ignored", "keys")

  override def node(f: UnresolvedTableValuedFunction): Option[LogicalPlan] =
    Option.when(Placeholder.isCalled(f, NAME))(emit(f))

  override def isQuery(node: LogicalPlan): Boolean = node.isInstanceOf[Emit]

  private def emit(f: UnresolvedTableValuedFunction): LogicalPlan = {
    val arguments = f.functionArgs.drop(1).collect {
      case NamedArgumentExpression(name, value) => name -> value
    }.toMap
    def columns(name: String): Seq[Expression] = arguments.get(name).toSeq.flatMap(_.children)
    val typed =
      for {
        query <- f.functionArgs.headOption.collect {
          case table: FunctionTableSubqueryArgumentExpression => table.plan
        }
        place <- arguments.get("strategy")
        strategy <- EmitStrategy.named(place.toString)
        if (arguments.keySet -- LISTS -- Set("strategy", "every")).isEmpty
      } yield CurrentOrigin.withOrigin(place.origin) {
        val every = arguments.get("every").map(interval)
        Emit(strategy, every, columns("compared"), columns("ignored"), columns("keys"), query)
      }
    typed.getOrElse(throw Placeholder.refused(NAME, f.origin))
  }

  private def interval(expression: Expression): Duration =
    Intervals.positive(expression).getOrElse(
      throw EddylineErrors.analysis("EDDYLINE_EMIT.INVALID_INTERVAL",
        Map("interval" -> EddylineErrors.typed(expression)), expression.origin))
}
