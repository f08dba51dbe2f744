package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

import io.eddyline.spark.emit.clause.Emit

/**
 * The changes that a query reports by EMIT ON CHANGE WITH CHANGE TYPE, seen from its end.
 *
 * @param column the column with the type of a change; None if no column of the query has it
 * @param keys for each column that identifies a row of EMIT, the column of the query that has its
 *             value; None if no column of EMIT has it
 * @param isFiltered whether a filter above EMIT leaves out changes
 * @param isUsed whether the query depends on the type of a change
 * @param isRepeated whether a micro-batch may have several changes of a key
 */
private[spark] case class Changes(
    column: Option[Attribute],
    keys: Option[Seq[Option[Attribute]]],
    isFiltered: Boolean,
    isUsed: Boolean,
    isRepeated: Boolean)

private[spark] object Changes {

  /** Returns the changes of an analyzed query; None if it does not report their type. */
  def of(query: LogicalPlan): Option[Changes] = {
    val plan = Emit.inlined(query)
    Emit.in(plan).filter(_.changeType.nonEmpty).map { emit =>
      val steps = path(plan).getOrElse(Nil).reverse
      def atEnd(column: Attribute): Option[Attribute] =
        steps.foldLeft(Option(column)) { (found, step) => found.flatMap(through(step, _)) }
      Changes(
        atEnd(emit.output.last),
        identity(emit).map(_.map(atEnd)),
        steps.exists(_.isInstanceOf[Filter]),
        steps.foldLeft(AttributeSet(emit.output.last))(dependents).nonEmpty,
        emit.isKeyed || emit.reportsSessions)
    }
  }

  /** The columns that identify a row of EMIT, if it has all of them. */
  private def identity(emit: Emit): Option[Seq[Attribute]] =
    if (emit.isKeyed) {
      Some(emit.keyAttributes)
    } else {
      GroupingColumns.of(emit.child, Map.empty).toOption.map(_.map(_.column))
        .filter(_.forall(_.nonEmpty)).map(_.flatten)
    }

  /** Returns what stands above EMIT in a plan, from the top; None if it has no EMIT. */
  private def path(plan: LogicalPlan): Option[List[LogicalPlan]] = plan match {
    case _: Emit => Some(Nil)
    case other => other.children.flatMap(path).headOption.map(other :: _)
  }

  /** Returns the column of a node above EMIT that has the value of one below it. */
  private def through(step: LogicalPlan, column: Attribute): Option[Attribute] = step match {
    case Project(list, _) => GroupingColumns.find(column, list)
    case _ => Some(column)
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
