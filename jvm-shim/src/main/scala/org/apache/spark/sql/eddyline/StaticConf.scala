package org.apache.spark.sql.eddyline

import org.apache.spark.SparkConf
import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.internal.SQLConf

/** Reads static confs as their entries say, whose class is Spark's own. */
object StaticConf {

  /**
   * Returns the value of a conf in an application.
   *
   * Errors: INVALID_CONF_VALUE and the like, of a value that the entry does not allow.
   */
  def of[T](conf: SparkConf, entry: ConfigEntry[T]): T = {
    val values = new SQLConf
    conf.getOption(entry.key).foreach(values.setConfString(entry.key, _))
    values.getConf(entry)
  }
}
