package io.eddyline.spark.emit.clause

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, StringType}

import io.eddyline.spark.base.ChangeTypes

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
