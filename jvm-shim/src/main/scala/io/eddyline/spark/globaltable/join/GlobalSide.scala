package io.eddyline.spark.globaltable.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}

import io.eddyline.spark.globaltable.version.PinnedTable

/** The side of a join that reads global tables and nothing else. */
private[globaltable] object GlobalSide {

  /** Whether every row of a plan comes from global tables, the same in each evaluation. */
  def is(plan: LogicalPlan): Boolean = {
    val leaves = plan.collectLeaves()
    leaves.nonEmpty && leaves.forall(_.isInstanceOf[PinnedTable]) && !plan.exists { node =>
      node.expressions.exists(e => !e.deterministic || SubqueryExpression.hasSubquery(e))
    }
  }

  /**
   * What is replicated of a side, and what is done to its rows after the lookup. One replica of a
   * whole table serves every filter and every choice of columns.
   *
   * @param replicated the plan of the replica
   * @param filters over its rows
   * @param fields of the side, over its rows
   */
  case class Peeled(
      replicated: LogicalPlan,
      filters: Seq[Expression],
      fields: Seq[NamedExpression]) {
    private val computed = AttributeMap(fields.collect {
      case alias: Alias => alias.toAttribute -> alias.child
    })

    /** An expression over the side, as one over the replica's rows. */
    def over(expression: Expression): Expression = expression.transform {
      case attribute: Attribute => computed.getOrElse(attribute, attribute)
    }

    /**
     * As it is looked up by the keys. A key that may fail, such as a cast, is computed of none but
     * the rows that pass the filters: those have a replica of their own.
     */
    def keyedBy(keys: Seq[Expression]): Peeled = {
      val (nullChecks, guards) = filters.partition(_.isInstanceOf[IsNotNull])
      if (guards.isEmpty || keys.forall(cannotFail)) this
      else copy(replicated = Filter(guards.reduce(And), replicated), filters = nullChecks)
    }

    /** The filters, without those that the keys imply: a NULL key finds nothing. */
    def filtersBeside(keys: Seq[Expression]): Seq[Expression] = filters.filter {
      case IsNotNull(attribute: Attribute) => !keys.exists(_.semanticEquals(attribute))
      case _ => true
    }
  }

  /**
   * @param computes whether columns may be computed after the lookup: not where a row without a
   *                 match is to have NULL in them
   */
  def peel(side: LogicalPlan, computes: Boolean): Peeled = side match {
    case PhysicalOperation(fields, filters, pinned: PinnedTable)
      if computes || fields.forall(isColumn) =>
      Peeled(pinned, filters, fields)
    case derived => whole(derived)
  }

  /** The side as it is. */
  def whole(side: LogicalPlan): Peeled = Peeled(side, Nil, side.output)

  /** The fields over rows in which other columns may be NULL than below. */
  def nullableAs(fields: Seq[NamedExpression], rows: Seq[Attribute]): Seq[NamedExpression] = {
    val known = AttributeMap(rows.map(column => column -> column))
    fields.map {
      case column: Attribute => known.getOrElse(column, column)
      case alias: Alias => alias.transform { case a: Attribute => known.getOrElse(a, a) }
    }.collect { case field: NamedExpression => field }
  }

  private def cannotFail(key: Expression): Boolean = !key.exists {
    case _: Attribute | _: Literal | _: Coalesce | _: IsNull | _: CollationKey |
        _: String2StringExpression => false
    case Cast(child, dataType, _, _) => !Cast.canUpCast(child.dataType, dataType)
    case _ => true
  }

  /** Whether a field is a column as it is, if under another name. */
  def isColumn(field: NamedExpression): Boolean = field match {
    case _: Attribute | Alias(_: Attribute, _) => true
    case _ => false
  }
}
