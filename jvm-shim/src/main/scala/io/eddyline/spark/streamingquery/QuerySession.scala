package io.eddyline.spark.streamingquery

import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.eddyline.SessionInternals

/**
 * Where a streaming query is resolved and runs, whoever starts it again: in a session of its own
 * with the catalog, database, confs, and temporary views, functions and variables of the statement
 * that defined it, and as the user who wrote that.
 *
 * @param user who defined the query; `current_user()` in it
 */
private[streamingquery] class QuerySession(val session: SparkSession, val user: String) {

  /** Resolves a parsed query by what the catalog says now. */
  def resolve(query: LogicalPlan): DataFrame = as {
    SessionInternals.forgetTables(session)
    val frame = SessionInternals.frame(session, FreshCopy.of(query))
    SessionInternals.refreshViews(SessionInternals.plan(frame))
    frame
  }

  /** Runs something as the user of the query. */
  def as[T](body: => T): T = SessionInternals.asUser(user)(body)
}

private[streamingquery] object QuerySession {
  def copyOf(session: SparkSession): QuerySession =
    new QuerySession(SessionInternals.copyOf(session), CurrentUserContext.getCurrentUser)
}
