package io.eddyline.spark.parser.view

import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.{LeafRunnableCommand, ShowCreateTableCommand}

/** Lets SHOW CREATE TABLE print the query of a view as typed, and not as stored. */
object ShowViewsAsTyped extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case show: ShowCreateTableCommand => ShowCreateAsTypedCommand(show)
    case other => other
  }
}

/** SHOW CREATE TABLE of a table or a view of the session catalog. */
case class ShowCreateAsTypedCommand(show: ShowCreateTableCommand) extends LeafRunnableCommand {
  override def output: Seq[Attribute] = show.output

  override def run(session: sql.SparkSession): Seq[Row] = {
    val catalog = session.asInstanceOf[SparkSession].sessionState.catalog
    val stored = catalog.getTempViewOrPermanentTableMetadata(show.table).viewText
    show.run(session).map { row =>
      Row(stored.fold(row.getString(0))(text =>
          row.getString(0).replace(text, ViewText.asTyped(text))))
    }
  }
}
