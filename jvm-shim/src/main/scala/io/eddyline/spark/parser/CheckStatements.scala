package io.eddyline.spark.parser

import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}

import io.eddyline.spark.base.EddylineErrors

/**
 * Refuses a statement of eddyline that is a part of a query. Spark runs each command in a plan, so
 * that a view or a function could have a statement run with the rights of whoever reads it.
 *
 * Errors: EDDYLINE_STATEMENT_IN_QUERY.
 */
object CheckStatements extends (LogicalPlan => Unit) {
  private val PACKAGE = "io.eddyline.spark."

  override def apply(plan: LogicalPlan): Unit = plan.collectWithSubqueries {
    case command: Command if (command ne plan) && command.getClass.getName.startsWith(PACKAGE) =>
      EddylineErrors.fail("EDDYLINE_STATEMENT_IN_QUERY", command.origin,
        "statement" -> command.nodeName.stripSuffix("Command"))
  }: Unit
}
