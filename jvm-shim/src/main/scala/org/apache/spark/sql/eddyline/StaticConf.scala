package org.apache.spark.sql.eddyline

import org.apache.spark.SparkConf
import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.internal.SQLConf

/** Reads static confs from those of an application. The class of entries is private to Spark. */
object StaticConf {

  /**
   * Returns the value of an entry, or its default.
   *
   * Errors: Spark's INVALID_CONF_VALUE and similar ones, if the entry does not allow the value.
   */
  def of[T](conf: SparkConf, entry: ConfigEntry[T]): T = {
    val values = new SQLConf
    conf.getOption(entry.key).foreach(values.setConfString(entry.key, _))
    values.getConf(entry)
  }
}
