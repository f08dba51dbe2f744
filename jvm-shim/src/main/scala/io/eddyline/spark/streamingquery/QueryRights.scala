package io.eddyline.spark.streamingquery

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.base.EddylineErrors

/**
 * Who may start, stop, restart, replace and drop a streaming query: the user who defined it, the
 * user of the application, and those in `spark.eddyline.admin.users`.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.NOT_ALLOWED.
 */
private[streamingquery] class QueryRights(context: SparkContext, admins: Set[String]) {

  /**
   * Checks that the current user may change a query.
   *
   * @param owner the user who defined it; None if that is unknown
   */
  def require(name: String, owner: Option[String], place: Origin): Unit = {
    val user = CurrentUserContext.getCurrentUser
    if (!owner.contains(user) && user != context.sparkUser && !admins(user)) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.NOT_ALLOWED", place,
        "name" -> name, "owner" -> owner.getOrElse("another user"), "user" -> user)
    }
  }
}
