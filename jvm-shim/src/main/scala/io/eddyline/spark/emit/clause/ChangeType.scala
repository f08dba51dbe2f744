package io.eddyline.spark.emit.clause

import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

/**
 * WITH CHANGE TYPE: the last column of the query says what a row means for the result, in the words
 * of the change data of Delta and Spark.
 *
 * @param name the name of the column
 * @param before whether an update is reported with the row before it
 */
case class ChangeType(name: String, before: Boolean) {

  /** Returns the query with the column, which the operator of EMIT sets where it is no insert. */
  def addTo(query: LogicalPlan): LogicalPlan =
    Project(Seq(UnresolvedStar(None), Alias(InsertedRow(), name)()), query)

  def sql: String =
    s"${ChangeType.SQL} ${quoteIfNeeded(name)}${if (before) " BEFORE" else ""}"
}

private[spark] object ChangeType {

  /** The option in SQL. */
  val SQL = "WITH CHANGE TYPE"
}
