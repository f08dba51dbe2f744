package io.eddyline.spark.base

import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StructType

/** A statement that returns rows when it is run. */
private[spark] trait RowsCommand extends LeafRunnableCommand {
  protected def columns: StructType

  /** Runs the statement. */
  protected def rows(session: SparkSession): Seq[Row]

  override lazy val output: Seq[Attribute] = toAttributes(columns)

  override def run(session: sql.SparkSession): Seq[Row] = rows(session.asInstanceOf[SparkSession])
}

/** The rows of a DESCRIBE: a name and a value each, as those of DESCRIBE NAMESPACE. */
private[spark] object DescriptionRows {
  val SCHEMA: StructType = StructType.fromDDL("info_name STRING, info_value STRING")

  /** Returns the values of a row of SHOW, then more. Those that are NULL or empty are left out. */
  def of(shown: Row, schema: StructType, more: Seq[(String, Any)]): Seq[Row] =
    (schema.fieldNames.toSeq.zip(shown.toSeq) ++ more).collect {
      case (name, value) if value != null && value != "" => Row(name, value.toString)
    }
}
