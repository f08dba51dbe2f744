package io.eddyline.spark.streamingquery

import java.time.Duration

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkConf
import org.apache.spark.sql.eddyline.StaticConf

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
