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

/**
 * The type of change of a row before it is compared, and of each row of a batch query. It is no
 * literal, which the optimizer would put into the expressions above EMIT.
 */
case class InsertedRow() extends LeafExpression with CodegenFallback {
  override def dataType: DataType = StringType

  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = ChangeTypes.INSERT

  override def sql: String = s"'${ChangeTypes.INSERT}'"

  override def toString: String = ChangeTypes.INSERT.toString
}
