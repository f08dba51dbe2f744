package io.eddyline.spark.base

import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StructType

/** A statement that runs and returns rows at once. */
private[spark] trait RowsCommand extends LeafRunnableCommand {
  protected def columns: StructType

  protected def rows(session: SparkSession): Seq[Row]

  override lazy val output: Seq[Attribute] = toAttributes(columns)

  override def run(session: sql.SparkSession): Seq[Row] = rows(session.asInstanceOf[SparkSession])
}
