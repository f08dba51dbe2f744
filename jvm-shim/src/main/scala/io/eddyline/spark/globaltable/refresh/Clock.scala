package io.eddyline.spark.globaltable.refresh

/** The time, in ms since the epoch. A test sets its own. */
private[refresh] trait Clock {
  def now: Long

  def sleep(ms: Long): Unit
}

private[refresh] object Clock extends Clock {
  override def now: Long = System.currentTimeMillis

  override def sleep(ms: Long): Unit = Thread.sleep(ms)
}
