package io.eddyline.spark.emit

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL

import io.eddyline.spark.emit.clause.Emit

/**
 * The changes that a query reports by EMIT ON CHANGE WITH CHANGE TYPE, seen from its end.
 *
 * @param steps what stands above EMIT, from the bottom
 */
private[spark] class Changes private (emit: Emit, steps: Seq[LogicalPlan]) extends AliasHelper {

  /** The column with the type of a change; None if no column of the query has it. */
  val column: Option[Attribute] = atEnd(emit.output.last).headOption

  /** What identifies a row of EMIT; None if nothing does that is known. */
  private lazy val identity: Option[Seq[GroupingColumn]] =
    if (emit.isKeyed) Some(emit.keyAttributes.map(key => GroupingColumn(key, Seq(key))))
    else GroupingColumns.of(emit.child, Map.empty).toOption

  /** For each value that identifies a row of EMIT, the columns of the query that have it. */
  def keys: Option[Seq[Seq[Attribute]]] = identity.map(_.map(_.columns.flatMap(atEnd)))

  /** Whether a filter above EMIT leaves out changes. */
  def isFiltered: Boolean = steps.exists(_.isInstanceOf[Filter])

  /** Whether the query depends on the type of a change. */
  def isUsed: Boolean = steps.foldLeft(AttributeSet(emit.output.last))(dependents).nonEmpty

  /** Whether a micro-batch may have several changes of a key. */
  def isRepeated: Boolean = emit.isKeyed || emit.reportsSessions

  /** What identifies a row of EMIT, as SQL; empty if nothing does that is known. */
  def identitySql: Seq[String] = parts.map(toPrettySQL(_))

  /** Whether a column of the query tells all rows of EMIT apart, and depends on nothing else. */
  def isTopicKey(column: Attribute): Boolean = identity.nonEmpty && topicKey.is(valueOf(column))

  /** What to write in the place of a column that does not, for errors. */
  def topicKeyAdvice: String = topicKey.advice

  private def topicKey: TopicKey = new TopicKey(parts, emit)

  private def parts: Seq[Expression] =
    identity.toSeq.flatten.map(_.grouping).filterNot(_.foldable).distinctBy(_.canonicalized)

  /** The value of a column of the query, computed from what EMIT or its aggregation has. */
  private def valueOf(column: Attribute): Expression = {
    @tailrec def below(value: Expression, plan: LogicalPlan): Expression = plan match {
      case aggregate: Aggregate => replaceAlias(value, getAliasMap(aggregate))
      case node: UnaryNode if !node.isInstanceOf[Distinct] =>
        below(expanded(value, node), node.child)
      case _ => value
    }
    val value = steps.foldRight[Expression](column)((step, value) => expanded(value, step))
    if (emit.isKeyed) value else below(value, emit.child)
  }

  private def expanded(value: Expression, step: LogicalPlan): Expression = step match {
    case Project(list, _) => replaceAlias(value, getAliasMap(list))
    case _ => value
  }

  private def atEnd(column: Attribute): Seq[Attribute] =
    steps.foldLeft(Seq(column)) { (found, step) => found.flatMap(through(step, _)) }

  /** Returns the columns of a node above EMIT that have the value of one below it. */
  private def through(step: LogicalPlan, column: Attribute): Seq[Attribute] = step match {
    case Project(list, _) => GroupingColumns.find(column, list)
    case _ => Seq(column)
  }

  /** Returns the columns of a node above EMIT that depend on those below it. */
  private def dependents(columns: AttributeSet, step: LogicalPlan): AttributeSet = step match {
    case Project(list, _) =>
      AttributeSet(list.filter(_.references.exists(columns.contains)).map(_.toAttribute))
    case Filter(condition, child) if condition.references.exists(columns.contains) =>
      child.outputSet
    case _ => columns
  }
}

private[spark] object Changes {

  /** Returns the changes of an analyzed query; None if it does not report their type. */
  def of(query: LogicalPlan): Option[Changes] = {
    val plan = Emit.inlined(query)
    Emit.in(plan).filter(_.changeType.nonEmpty)
      .map(new Changes(_, path(plan).getOrElse(Nil).reverse))
  }

  /** Returns what stands above EMIT in a plan, from the top; None if it has no EMIT. */
  private def path(plan: LogicalPlan): Option[List[LogicalPlan]] = plan match {
    case _: Emit => Some(Nil)
    case other => other.children.flatMap(path).headOption.map(other :: _)
  }
}
