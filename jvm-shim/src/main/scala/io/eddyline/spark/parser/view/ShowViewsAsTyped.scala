package io.eddyline.spark.parser.view

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.ShowCreateTableCommand

/** Lets SHOW CREATE TABLE print the query of a view as typed, and not as stored. */
object ShowViewsAsTyped extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case show: ShowCreateTableCommand => ShowCreateAsTypedCommand(show)
    case other => other
  }
}
