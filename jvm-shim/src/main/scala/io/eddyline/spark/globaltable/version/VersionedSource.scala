package io.eddyline.spark.globaltable.version

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{And, IsNotNull}
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Columns and rows of one [[VersionedTable]]. Any of its versions can be read again, so none needs
 * a copy.
 */
private[globaltable] class VersionedSource private (plan: LogicalPlan, table: VersionedTable) {

  /** The name of the version that `plan` was resolved with. */
  def version: String = table.version

  /**
   * Returns the rows of a version that have a primary key. Errors: those of the catalog, if it has
   * no such version.
   */
  def at(version: String, primaryKey: Seq[String]): LogicalPlan = {
    val rows = plan.transformUp { case VersionedTable(_) => table.at(version) }
    primaryKey.map(key => IsNotNull(UnresolvedAttribute.quoted(key))).reduceOption(And)
      .fold(rows)(Filter(_, rows))
  }
}

private[globaltable] object VersionedSource {

  /** Returns the source that a plan reads; None if it reads something else or computes more. */
  def of(plan: LogicalPlan): Option[VersionedSource] = leaf(plan).collect {
    case VersionedTable(table) => new VersionedSource(plan, table)
  }

  /** A view below is left out, since its text may change while the version stays. */
  @tailrec private def leaf(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case leaf: LeafNode => Some(leaf)
    case Project(_, child) if isPure(plan) => leaf(child)
    case Filter(_, child) if isPure(plan) => leaf(child)
    case SubqueryAlias(_, child) => leaf(child)
    case _ => None
  }

  private def isPure(plan: LogicalPlan): Boolean =
    plan.subqueries.isEmpty && plan.expressions.forall(_.deterministic)
}
