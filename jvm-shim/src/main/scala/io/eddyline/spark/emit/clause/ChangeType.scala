package io.eddyline.spark.emit.clause

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.expressions.{Alias, LeafExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types.{DataType, StringType}

import io.eddyline.spark.base.ChangeTypes

/**
 * WITH CHANGE TYPE: the last column of the query says whether a row of the result is new, changed
 * or gone, see [[io.eddyline.spark.base.ChangeTypes]].
 *
 * @param name the name of the column
 * @param before whether the row before an update is reported too
 */
case class ChangeType(name: String, before: Boolean) {

  /** Returns a query with the column, in which all rows are inserts until EMIT sets it. */
  def addTo(query: LogicalPlan): LogicalPlan =
    Project(Seq(UnresolvedStar(None), Alias(InsertedRow(), name)()), query)

  def sql: String = s"${ChangeType.SQL} ${quoteIfNeeded(name)}${if (before) " BEFORE" else ""}"
}

private[spark] object ChangeType {

  /** The option in SQL. */
  val SQL = "WITH CHANGE TYPE"
}

/**
 * The type of change of a row that EMIT has not compared, and of all rows of a batch query. It is
 * not a literal, since the optimizer would move one into the expressions above EMIT.
 */
case class InsertedRow() extends LeafExpression with CodegenFallback {
  override def dataType: DataType = StringType
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = ChangeTypes.INSERT
  override def sql: String = s"'${ChangeTypes.INSERT}'"
  override def toString: String = ChangeTypes.INSERT.toString
}
