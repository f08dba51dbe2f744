package io.eddyline.spark.globaltable.version

/** The number of times that a table got a new version, and of refreshes that failed. */
case class RefreshCounts(refreshes: Long, failures: Long)
