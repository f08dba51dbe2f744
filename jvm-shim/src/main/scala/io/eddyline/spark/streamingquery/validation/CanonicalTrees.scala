package io.eddyline.spark.streamingquery.validation

import org.apache.spark.sql.catalyst.catalog.{CatalogTable, HiveTableRelation}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Complete}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{SubqueryAlias, View}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.{BaseSubqueryExec, ReusedSubqueryExec}
import org.apache.spark.sql.execution.datasources.LogicalRelationWithTable
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{BooleanType, DataType, NullType}

/**
 * Makes values of expressions and plans that are equal if these compute the same: their trees of
 * classes and arguments, without ids and random seeds. Functions of users are compared by their
 * names, not by what they do.
 *
 * @param trace replaces the attributes of an expression by what they are computed from
 */
private[validation] class CanonicalTrees(trace: Expression => Expression) {

  def of(expression: Expression): Any = tree(closed(trace(expression), Map.empty).canonicalized)

  def of(plan: QueryPlan[_]): Any = plan match {
    // their names have ids
    case reused: ReusedSubqueryExec => of(reused.child)
    case subquery: BaseSubqueryExec => of(subquery.child)
    case name @ (_: SubqueryAlias | _: View) => name.children.map(of(_))
    case node =>
      val identity = Some(node).collect { case NamedTable(name) => name }
      identity.getOrElse(node.getClass.getName +: node.productIterator.map(value(of)(_)).toSeq)
  }

  private def tree(expression: Expression): Any = expression match {
    case literal: Literal => literal
    case attribute: Attribute => of(attribute)
    case function: UserDefinedExpression =>
      Seq[Any](function.getClass.getName, function.name, expression.children.map(tree))
    case other => other.getClass.getName +: other.productIterator.map(value(tree)(_)).toSeq
  }

  /**
   * Replaces what has ids of its own. The variables of a lambda are numbered from the outermost
   * lambda on, as `canonicalized` does not tell those of two lambdas apart.
   */
  private def closed(expression: Expression, variables: Map[ExprId, Int]): Expression =
    expression match {
      case variable: NamedLambdaVariable =>
        val number = variables.get(variable.exprId).fold("")(_.toString)
        Column(s"variable $number", variable.dataType, Nil)
      case lambda: LambdaFunction =>
        val own = lambda.arguments.map(_.exprId).zipWithIndex
          .map { case (id, place) => id -> (variables.size + place) }
        val parts = lambda.function +: lambda.arguments
        Column("lambda", lambda.dataType, parts.map(closed(_, variables ++ own)))
      case call: AggregateExpression if call.mode != Complete =>
        closed(call.copy(mode = Complete), variables) // planned, it is partial
      case in: InSubquery =>
        Column("in", BooleanType, (in.values :+ in.query).map(closed(_, variables)))
      case subquery: PlanExpression[_] =>
        val outside = subquery.children.map(closed(_, variables))
        val plan = subquery.plan.asInstanceOf[QueryPlan[_]]
        Column(subquery.nodeName, subquery.dataType, outside :+ PlanForm(of(plan)))
      case typed @ (Rand(_, false) | Randn(_, false)) => typed
      case random: ExpressionWithRandomSeed => random.withNewSeed(0)
      case other => other.mapChildren(closed(_, variables))
    }

  /** The value of an argument of a node. */
  private def value(form: Expression => Any)(argument: Any): Any = argument match {
    case expression: Expression => form(expression)
    case plan: QueryPlan[_] => of(plan)
    case dataType: DataType => dataType // a StructType is a sequence, too
    case _: ExprId => None
    case map: Map[_, _] => map.map(value(form)(_))
    case set: Set[_] => set.map(value(form)(_))
    case items: Iterable[_] => items.map(value(form)(_)).toSeq
    case items: Array[_] => items.toSeq.map(value(form)(_))
    case product: Product =>
      product.getClass.getName +: product.productIterator.map(value(form)(_)).toSeq
    case null => None
    case other if hasEquality(other.getClass) => other
    case other => other.getClass.getName
  }

  private def hasEquality(of: Class[_]): Boolean =
    of.getMethod("equals", classOf[Object]).getDeclaringClass != classOf[Object]
}

/** A column by its name, or what a node makes of other columns. */
private[validation] case class Column(name: String, dataType: DataType, children: Seq[Expression])
  extends Expression with Unevaluable {
  override def nullable: Boolean = true

  override def sql: String =
    if (children.isEmpty) name else children.map(_.sql).mkString(s"$name(", ", ", ")")

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): Column =
    copy(children = children)
}

/** The form of a plan in the place of an expression. */
private case class PlanForm(form: Any) extends LeafExpression with Unevaluable {
  override def nullable: Boolean = true
  override def dataType: DataType = NullType
}

/** A leaf that reads what the catalog has, by its name. */
private[validation] object NamedTable {
  def unapply(plan: QueryPlan[_]): Option[String] = Some(plan).collect {
    case LogicalRelationWithTable(_, Some(table)) => nameOf(table)
    case hive: HiveTableRelation => nameOf(hive.tableMeta)
    case relation: DataSourceV2Relation if relation.identifier.isDefined => relation.name
  }

  def nameOf(table: CatalogTable): String =
    table.identifier.nameParts.map(quoteIfNeeded).mkString(".")
}
