package io.eddyline.spark.base

/** Spark's limit on the size of the results that the tasks of a job send to the driver. */
private[spark] object ResultSize {
  val KEY = "spark.driver.maxResultSize"

  /** Whether a job failed because of that limit, which only the text of the error tells. */
  def isExceeded(error: Throwable): Boolean = Option(error.getMessage).exists(_.contains(KEY))
}
