package io.eddyline.spark.streamingquery

import java.time.Duration

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkConf

import io.eddyline.spark.EddylineConf._

/** The settings of the persistent streaming queries of an application, from its SparkConf. */
private[streamingquery] class StreamingQuerySettings(conf: SparkConf) {

  /** The folder of the definitions. */
  val location: Path = new Path(folder(conf, STREAMING_QUERY_LOCATION.key, "streamingquery"))

  /** Whether the application starts the queries that were running. */
  val autoStart: Boolean = conf.getBoolean(AUTO_START.key, AUTO_START.defaultValue.get)

  /** Users who may change the queries of others. */
  val admins: Set[String] =
    conf.get(ADMIN_USERS.key, "").split(',').map(_.trim).filter(_.nonEmpty).toSet

  /** Time without a sign of life after which another application may run the queries. */
  val leaseDuration: Duration =
    Duration.ofMillis(conf.getTimeAsMs(LEASE_DURATION.key, LEASE_DURATION.defaultValueString))

  /** How many times in a row a query that fails is started again. */
  val maxRestarts: Int = conf.getInt(MAX_RESTARTS.key, MAX_RESTARTS.defaultValue.get)
}
