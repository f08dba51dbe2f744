package io.eddyline.spark.base

import org.apache.spark.SparkEnv

/** Spark's limit on the size of the results that the tasks of a job send to the driver. */
private[spark] object ResultSize {
  val KEY = "spark.driver.maxResultSize"

  /** Whether a task can send hashes with its result. An executor drops a result above the limit. */
  def canSend(hashes: Array[Long]): Boolean = {
    val limit = SparkEnv.get.conf.getSizeAsBytes(KEY, "1g")
    limit <= 0 || hashes.length * 8L < limit / 2
  }

  /** Whether a job has failed because of the limit; only the message of the error says so. */
  def isExceeded(error: Throwable): Boolean = Option(error.getMessage).exists(_.contains(KEY))
}
