package io.eddyline.spark

/** The limit of Spark on what the tasks of a job send to the driver. */
private[spark] object ResultSize {
  val KEY = "spark.driver.maxResultSize"

  /** Whether a job failed for that limit; Spark says so in the text of the error alone. */
  def isExceeded(error: Throwable): Boolean = Option(error.getMessage).exists(_.contains(KEY))
}
