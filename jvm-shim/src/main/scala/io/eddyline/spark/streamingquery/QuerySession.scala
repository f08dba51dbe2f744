package io.eddyline.spark.streamingquery

import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.eddyline.{CatalogCaches, SessionInternals}

import io.eddyline.spark.base.PlanValues

/**
 * The session in which a streaming query is resolved and runs, whichever session restarts it: a
 * copy of the one that defined it, with its catalog, database, confs, and temporary views,
 * functions and variables. The query runs as the user who defined it.
 *
 * @param user the user who defined the query, who is `current_user()` in it
 * @param requireMayWrite raises an error if the query may not write a micro-batch now
 */
private[streamingquery] class QuerySession(
    val session: SparkSession,
    val user: String,
    val requireMayWrite: () => Unit = () => ()) {

  /** Resolves a parsed query against the current catalog. */
  def resolve(query: LogicalPlan): DataFrame = as {
    CatalogCaches.drop(session)
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

/**
 * Copies a parsed plan so that it can be analyzed again.
 *
 * Spark records on each node which rules did not change it, and does not try them again
 * (SPARK-34906). So a table that was missing once would stay unresolved after it is created.
 * `TreeNode.clone` copies only children, and not what else [[PlanValues]] finds.
 */
private[streamingquery] object FreshCopy {
  def of[T <: LogicalPlan](plan: T): T = copy(plan).asInstanceOf[T]

  private def copy(node: TreeNode[_]): Any =
    if (node.productArity == 0) node
    else {
      node.makeCopy(node.productIterator.map(PlanValues.map(_)(copy).asInstanceOf[AnyRef]).toArray)
    }
}
