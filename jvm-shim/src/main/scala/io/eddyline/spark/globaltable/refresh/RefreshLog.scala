package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{EddylineErrors, Redaction}
import io.eddyline.spark.globaltable.version.RefreshCounts

/**
 * The outcomes of a table's refreshes. Times are in milliseconds since the epoch. Queries and the
 * refresher may record failures at the same time.
 */
private[globaltable] class RefreshLog {
  @volatile private var confirmed: Option[Long] = None
  @volatile private var swapped: Option[Long] = None
  @volatile private var failure: Option[Throwable] = None
  @volatile private var made = RefreshCounts(0, 0)
  @volatile private var retries = 0

  def counts: RefreshCounts = made

  /** When the current version became the current one; None before the first load. */
  def lastRefresh: Option[Long] = swapped

  /** Milliseconds since the start of the last probe that confirmed the version; None: never. */
  def age: Option[Long] = confirmed.map(System.currentTimeMillis - _)

  /** Whether a probe that started at `moment` or later confirmed the current version. */
  def isConfirmedSince(moment: Long): Boolean = confirmed.exists(_ >= moment)

  /** The error of the last refresh; None if it succeeded. */
  def error: Option[Throwable] = failure

  /** The class and message of [[error]], without secrets. */
  def lastError: Option[String] =
    failure.map(RefreshLog.safeMessage)

  /** The wait after a failure, which doubles from 100 ms up to 30 s; None after a success. */
  def backoff: Option[Duration] = Option.when(retries > 0)(
    Seq(Duration.ofMillis(50L << math.min(retries, 10)), RefreshLog.MAX_BACKOFF).min)

  def resetBackoff(): Unit = synchronized { retries = 0 }

  /**
   * Records a probe that has confirmed the current version.
   *
   * @param started when the probe began
   */
  def succeeded(started: Long): Unit = synchronized {
    confirmed = Some(started)
    failure = None
    retries = 0
  }

  def failed(error: Throwable): Unit = synchronized {
    failure = Some(error)
    retries += 1
    made = made.copy(failures = made.failures + 1)
  }

  def versionSwapped(): Unit = synchronized {
    swapped = Some(System.currentTimeMillis)
    made = made.copy(refreshes = made.refreshes + 1)
  }
}

private[globaltable] object RefreshLog {
  private val MAX_BACKOFF = Duration.ofSeconds(30)

  /** Returns the class and message of an error's root cause, without secrets. */
  def safeMessage(error: Throwable): String = {
    val root = EddylineErrors.causes(error).last
    Redaction.text(SQLConf.get, s"${root.getClass.getSimpleName}: ${root.getMessage}")
  }
}
