package io.eddyline.spark.globaltable.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer._
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}

import io.eddyline.spark.globaltable.version.PinnedTable

/** Recognizes a side of a join that reads only global tables, and prepares it for a lookup. */
private[globaltable] object GlobalSide extends JoinSelectionHelper {

  /** The side of a join that is global, if the other is not and Spark can broadcast it. */
  def of(join: Join): Option[BuildSide] = (is(join.left), is(join.right)) match {
    case (false, true) if canBuildBroadcastRight(join.joinType) => Some(BuildRight)
    case (true, false) if canBuildBroadcastLeft(join.joinType) => Some(BuildLeft)
    case _ => None
  }

  /** Whether a plan reads only global tables, is deterministic and has no subquery. */
  def is(plan: LogicalPlan): Boolean = readsOnlyTables(plan) && !plan.exists { node =>
    node.expressions.exists(e => !e.deterministic || SubqueryExpression.hasSubquery(e))
  }

  /** Whether all leaves of a plan are global tables. */
  def readsOnlyTables(plan: LogicalPlan): Boolean = {
    val leaves = plan.collectLeaves()
    leaves.nonEmpty && leaves.forall(_.isInstanceOf[PinnedTable])
  }

  /**
   * A side split into the plan to replicate and the steps after the lookup, so that one replica of
   * a whole table serves every filter and every choice of columns.
   *
   * @param replicated the plan of the replica
   * @param filters conditions on the replica's rows
   * @param fields the columns of the side, computed from the replica's rows
   */
  case class ReplicatedSide(
      replicated: LogicalPlan, filters: Seq[Expression], fields: Seq[NamedExpression]) {
    private val computed = AttributeMap(fields.collect {
      case alias: Alias => alias.toAttribute -> alias.child
    })

    /** Rewrites an expression over the side's columns to one over the replica's. */
    def over(expression: Expression): Expression = expression.transform {
      case attribute: Attribute => computed.getOrElse(attribute, attribute)
    }

    /**
     * Returns the side for a lookup by `keys`. A key that may fail, such as a cast, must be
     * computed only for rows that pass the filters, so the filters move into the replica.
     */
    def withSafeFilters(keys: Seq[Expression]): ReplicatedSide = {
      val (nullChecks, guards) = filters.partition(_.isInstanceOf[IsNotNull])
      if (guards.isEmpty || keys.forall(cannotFail)) this
      else copy(replicated = Filter(guards.reduce(And), replicated), filters = nullChecks)
    }

    /** The filters without those that `keys` imply: a NULL key matches no row. */
    def filtersNotImpliedBy(keys: Seq[Expression]): Seq[Expression] = filters.filter {
      case IsNotNull(attribute: Attribute) => !keys.exists(_.semanticEquals(attribute))
      case _ => true
    }
  }

  /**
   * Splits a side into the part to replicate and the steps after the lookup.
   *
   * @param computes whether columns may be computed after the lookup; false for an outer join,
   *                 where they must be NULL in rows without a match
   */
  def split(side: LogicalPlan, computes: Boolean): ReplicatedSide = side match {
    case PhysicalOperation(fields, filters, pinned: PinnedTable)
        if computes || fields.forall(isColumn) =>
      ReplicatedSide(pinned, filters, fields)
    case derived => replicateAll(derived)
  }

  /** Returns a side that is replicated as a whole. */
  def replicateAll(side: LogicalPlan): ReplicatedSide = ReplicatedSide(side, Nil, side.output)

  /** Gives the columns that `fields` use the nullability that they have in `rows`. */
  def nullableAs(fields: Seq[NamedExpression], rows: Seq[Attribute]): Seq[NamedExpression] = {
    val known = AttributeMap(rows.map(column => column -> column))
    fields.map(_.transform { case column: Attribute => known.getOrElse(column, column) })
      .collect { case field: NamedExpression => field }
  }

  private def cannotFail(key: Expression): Boolean = !key.exists {
    case _: Attribute | _: Literal | _: Coalesce | _: IsNull | _: CollationKey |
        _: String2StringExpression => false
    case Cast(child, dataType, _, _) => !Cast.canUpCast(child.dataType, dataType)
    case _ => true
  }

  /** Whether a field is an unchanged column, perhaps under another name. */
  def isColumn(field: NamedExpression): Boolean = field match {
    case _: Attribute | Alias(_: Attribute, _) => true
    case _ => false
  }
}
