package io.eddyline.spark.emit

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL

import io.eddyline.spark.emit.clause.Emit

/**
 * The columns of a query with EMIT ON CHANGE WITH CHANGE TYPE that have the type and the key of a
 * change.
 *
 * @param operatorsAbove the nodes above EMIT, the lowest first
 */
private[spark] class Changes private (emit: Emit, operatorsAbove: Seq[LogicalPlan])
  extends AliasHelper {

  /** The column of the query with the type of a change; None if there is none. */
  val column: Option[Attribute] = outputOf(emit.output.last).headOption

  /** The values that identify a row of EMIT; None if they are not known. */
  private lazy val identity: Option[Seq[GroupingColumn]] =
    if (emit.isKeyed) Some(emit.keyAttributes.map(key => GroupingColumn(key, Seq(key))))
    else GroupingColumns.of(emit.child, Map.empty).toOption

  /** The columns of the query that have each value which identifies a row of EMIT. */
  def keys: Option[Seq[Seq[Attribute]]] = identity.map(_.map(_.columns.flatMap(outputOf)))

  /** Whether a filter above EMIT removes changes. */
  def isFiltered: Boolean = operatorsAbove.exists(_.isInstanceOf[Filter])

  /** Whether the query depends on the type of a change. */
  def isUsed: Boolean = operatorsAbove.foldLeft(AttributeSet(emit.output.last))(dependents).nonEmpty

  /** Whether a micro-batch may have several changes of a key. */
  def isRepeated: Boolean = emit.isKeyed || emit.reportsSessions

  /** The values that identify a row of EMIT, as SQL; empty if they are not known. */
  def identitySql: Seq[String] = parts.map(toPrettySQL(_))

  /** Whether a column of the query is a key of a topic that identifies a row of EMIT. */
  def isTopicKey(column: Attribute): Boolean =
    identity.nonEmpty && topicKey.matches(valueOf(column))

  /** What to write in the place of another column, for errors. */
  def topicKeyAdvice: String = topicKey.advice

  private def topicKey: TopicKey = new TopicKey(parts, emit)

  private def parts: Seq[Expression] =
    identity.toSeq.flatten.map(_.grouping).filterNot(_.foldable).distinctBy(_.canonicalized)

  /** Returns the value of a column of the query as an expression over EMIT or its aggregation. */
  private def valueOf(column: Attribute): Expression = {
    @tailrec def below(value: Expression, plan: LogicalPlan): Expression = plan match {
      case aggregate: Aggregate => replaceAlias(value, getAliasMap(aggregate))
      case node: UnaryNode if !node.isInstanceOf[Distinct] =>
        below(expandAliases(value, node), node.child)
      case _ => value
    }
    val value = operatorsAbove.foldRight[Expression](column)((node, value) =>
      expandAliases(value, node))
    if (emit.isKeyed) value else below(value, emit.child)
  }

  private def expandAliases(value: Expression, step: LogicalPlan): Expression = step match {
    case Project(list, _) => replaceAlias(value, getAliasMap(list))
    case _ => value
  }

  /** Returns the columns of the query that have the value of a column of EMIT. */
  private def outputOf(column: Attribute): Seq[Attribute] = operatorsAbove.foldLeft(Seq(column)) {
    case (found, Project(list, _)) => found.flatMap(GroupingColumns.columnsWith(_, list))
    case (found, _) => found
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
    val plan = Emit.withCtesInlined(query)
    Emit.findIn(plan).filter(_.changeType.nonEmpty)
      .map(new Changes(_, path(plan).getOrElse(Nil).reverse))
  }

  /** Returns the nodes above EMIT in a plan, the highest first; None if it has no EMIT. */
  private def path(plan: LogicalPlan): Option[List[LogicalPlan]] = plan match {
    case _: Emit => Some(Nil)
    case other => other.children.flatMap(path).headOption.map(other :: _)
  }
}
