package io.eddyline.spark.streamingquery

import java.time.Duration

import org.apache.hadoop.fs.Path
import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.eddyline.StaticConf

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.base.EddylineConf._

/**
 * The settings of the persistent streaming queries of an application, from its SparkConf.
 *
 * Errors: INVALID_CONF_VALUE and the like, of a value that the entry does not allow.
 */
private[streamingquery] class StreamingQuerySettings(conf: SparkConf) {

  /** The folder of the definitions. */
  val location: Path = new Path(folder(conf, STREAMING_QUERY_LOCATION.key, "streamingquery"))

  /** Whether the application starts the queries that were running. */
  lazy val autoStart: Boolean = StaticConf.of(conf, AUTO_START)

  /** Whether no other application uses the location, so that its lease need not be exclusive. */
  lazy val isExclusive: Boolean = StaticConf.of(conf, EXCLUSIVE_LOCATION)

  /** Users who may change the queries of others. */
  val admins: Set[String] =
    conf.get(ADMIN_USERS.key, "").split(',').map(_.trim).filter(_.nonEmpty).toSet

  /** Time without a heartbeat after which another application may run the queries. */
  lazy val leaseDuration: Duration = Duration.ofMillis(StaticConf.of(conf, LEASE_DURATION))

  /** How long the end of the application waits for starts, in milliseconds. */
  lazy val stopTimeout: Long = StaticConf.of(conf, STOP_TIMEOUT)

  /** How many times in a row a query that fails is started again. */
  lazy val maxRestarts: Int = StaticConf.of(conf, MAX_RESTARTS)
}

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
