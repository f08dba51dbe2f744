package io.eddyline.spark.base

import org.apache.spark.SparkEnv

/** Spark's limit on the size of the results that the tasks of a job send to the driver. */
private[spark] object ResultSize {
  val KEY = "spark.driver.maxResultSize"

  /** Whether a task can send hashes beside its result, which an executor drops if it is larger. */
  def canSend(hashes: Array[Long]): Boolean = {
    val limit = SparkEnv.get.conf.getSizeAsBytes(KEY, "1g")
    limit <= 0 || hashes.length * 8L < limit / 2
  }

  /** Whether a job failed because of that limit, which only the text of the error tells. */
  def isExceeded(error: Throwable): Boolean = Option(error.getMessage).exists(_.contains(KEY))
}
