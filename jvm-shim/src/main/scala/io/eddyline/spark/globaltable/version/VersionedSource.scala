package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{And, IsNotNull}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}

/**
 * Columns and rows of one [[VersionedTable]]. Any of its versions can be read again, so none needs
 * a copy.
 *
 * @param plan reads the newest version of `table`, and nothing else
 */
private[globaltable] class VersionedSource(plan: LogicalPlan, table: VersionedTable) {

  /** The name of the version that `plan` was resolved with. */
  def version: String = table.version

  /** The version, and what tells it from one of its name of an earlier table. */
  def state: String = table.state

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
