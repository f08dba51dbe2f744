package io.eddyline.spark.streamingquery.validation

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.trees.TreeNode

/**
 * Traces each column of a plan down to the columns of the tables that it reads, so that expressions
 * of two plans can be compared as [[ComparedExpression]]s, whatever their aliases and ids are.
 *
 * @param leaves the columns of the plan's leaves
 */
private[validation] class Lineage(leaves: Map[ExprId, Column]) {

  /** What each column is computed from, in terms of `leaves`. */
  private val traced = mutable.Map.from[ExprId, Expression](leaves)

  /** The texts that the user typed, for columns and for the comparable values of expressions. */
  private val columnTexts = mutable.Map.empty[ExprId, String]
  private val texts = mutable.Map.empty[Any, String]

  /** Gives the values by which expressions, and plans that were added, are compared. */
  val trees = new CanonicalTrees(trace)

  /** Adds the columns that the nodes of a plan compute. */
  def add(plan: QueryPlan[_]): this.type = {
    val children = plan.children.map(_.asInstanceOf[QueryPlan[_]])
    children.foreach(add)
    plan.expressions.foreach(_.foreach {
      case alias: Alias => traced(alias.exprId) = trace(alias.child)
      case call: AggregateExpression => traced(call.resultId) = trace(call)
      case subquery: PlanExpression[_] => add(subquery.plan.asInstanceOf[QueryPlan[_]])
      case _ =>
    })
    if (plan.nodeName == "Union") { // the logical and the physical node
      val columns = children.map(_.output.map(trace)).transpose
      plan.output.zip(columns).foreach { case (column, branches) =>
        traced(column.exprId) = Column("union", column.dataType, branches)
      }
    }
    // what is left comes from no expression, such as the rows of a generator
    plan.output.filterNot(column => traced.contains(column.exprId)).foreach { column =>
      val name = s"${plan.nodeName}.${column.name}"
      traced(column.exprId) = Column(name, column.dataType, plan.expressions.map(trace))
    }
    this
  }

  /** Records the texts that the user typed for the expressions of an analyzed plan. */
  def recordSqlText(plan: QueryPlan[_]): this.type = {
    plan.foreach(_.asInstanceOf[QueryPlan[_]].expressions.foreach(_.foreach {
      case alias: Alias if !alias.child.isInstanceOf[Attribute] =>
        Lineage.typed(alias.child).foreach { text =>
          columnTexts(alias.exprId) = text
          texts(trees.of(alias.child)) = text
        }
      case _: Attribute | _: Alias =>
      case other => Lineage.typed(other).foreach(texts(trees.of(other)) = _)
    }))
    this
  }

  /** Returns the lineage of the physical plan of the same query, with the same typed texts. */
  def ofPlanned(planned: QueryPlan[_]): Lineage = {
    val lineage = new Lineage(leaves).add(planned)
    lineage.texts ++= texts
    lineage.columnTexts ++= columnTexts
    lineage
  }

  /** Returns an expression in a form that can be compared and shown. */
  def compared(expression: Expression): ComparedExpression = {
    val tree = trees.of(expression)
    val column = Some(expression).collect { case a: Attribute => a.exprId }
    val typed = column.flatMap(columnTexts.get).orElse(texts.get(tree))
    ComparedExpression(tree, typed.getOrElse(Lineage.shown(expression)),
      trace(expression).canonicalized.sql)
  }

  private def trace(expression: Expression): Expression = expression.transformUp {
    case a: Attribute => traced.getOrElse(a.exprId, Column(a.name, a.dataType, Nil))
    case Alias(child, _) => child
  }
}

private[validation] object Lineage {

  /** The text that the user typed for a node, if Spark knows it. */
  def typed(node: TreeNode[_]): Option[String] = {
    val origin = node.origin
    for {
      text <- origin.sqlText
      start <- origin.startIndex
      stop <- origin.stopIndex
      if start <= stop && stop < text.length
    } yield text.substring(start, stop + 1)
  }

  /** The SQL of an expression of which no typed text is known. */
  private def shown(expression: Expression): String = expression.transform {
    case a: Attribute => Column((a.qualifier.takeRight(1) :+ a.name).mkString("."), a.dataType, Nil)
    case Alias(child, _) => child
  }.sql
}

/**
 * An expression, or another item, that is compared with one of another query.
 *
 * @param tree a value that equals that of an expression that computes the same
 * @param sql its text for messages, as typed if that is known
 * @param lineageSql its SQL, with each column replaced by what that is computed from
 */
private[streamingquery] case class ComparedExpression(tree: Any, sql: String, lineageSql: String)

private[streamingquery] object ComparedExpression {

  /** Returns an item that is compared by its text alone. */
  def named(text: String): ComparedExpression = ComparedExpression(text, text, text)
}
