package io.eddyline.spark.keep

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.placeholder.Placeholder

/** Reads `__eddyline_keep(TABLE(query), count => 2)`. */
object KeepPlaceholder extends Placeholder {
  private val NAME = "__eddyline_keep"

  override def node(f: UnresolvedTableValuedFunction): Option[LogicalPlan] =
    Option.when(Placeholder.isCalled(f, NAME))(keep(f))

  override def isQuery(node: LogicalPlan): Boolean = node.isInstanceOf[Keep]

  private def keep(f: UnresolvedTableValuedFunction): LogicalPlan = f.functionArgs match {
    case Seq(query: FunctionTableSubqueryArgumentExpression,
          NamedArgumentExpression("count", number @ Literal(count: Int, _))) =>
      CurrentOrigin.withOrigin(number.origin)(Keep(count, query.plan))
    case _ => throw Placeholder.refused(NAME, f.origin)
  }
}
