package io.eddyline.spark.globaltable.refresh

import org.apache.spark.sql.catalyst.analysis.{SQLFunctionNode, SQLScalarFunction}
import org.apache.spark.sql.catalyst.catalog.SQLFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator
import org.apache.spark.sql.catalyst.expressions.objects.{Invoke, StaticInvoke}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.functions.BoundFunction
import org.apache.spark.sql.eddyline.CatalogCaches

/** The functions of catalogs that a source calls, which others can replace. */
private[refresh] object CalledFunctions {

  /**
   * Returns the definition of each function that an analyzed plan calls, also inside of another
   * function: its text, or its name and class.
   */
  def definitions(plan: LogicalPlan, session: SparkSession): Seq[String] = {
    val classes = CatalogCaches.functionClasses(session.sessionState.functionRegistry)
    plan.collectWithSubqueries { case node => node }.flatMap { node =>
      val ofRows = Option(node).collect { case SQLFunctionNode(function, _) => textOf(function) }
      ofRows ++ node.expressions.flatMap(_.collect {
        case SQLScalarFunction(function, _, _) => textOf(function)
        case OfCatalog(function) => s"${function.name} ${function.getClass.getName}"
        case function: UserDefinedExpression =>
          s"${function.name} ${classes(function.name).mkString}"
      })
    }
  }

  private def textOf(function: SQLFunction): String = Seq(
    function.name.unquotedString,
    function.inputParam.fold("")(_.json),
    function.returnType.fold(_.json, _.json),
    function.exprText.orElse(function.queryText).mkString,
    function.properties.toSeq.sorted.mkString).mkString(" ")

  /** Matches a call of a function whose catalog is a plugin. */
  private object OfCatalog {
    def unapply(call: Expression): Option[BoundFunction] = call match {
      case ApplyFunctionExpression(function, _) => Some(function)
      case aggregate: V2Aggregator[_, _] => Some(aggregate.aggrFunc)
      case invoke: StaticInvoke => invoke.scalarFunction
      case invoke: Invoke => Some(invoke.targetObject).collect {
          case Literal(function: BoundFunction, _) => function
        }
      case _ => None
    }
  }
}
