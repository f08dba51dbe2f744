package io.eddyline.spark.globaltable.refresh

import java.time.Duration

import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.Redaction
import io.eddyline.spark.globaltable.version.RefreshCounts

/** What became of the attempts to refresh a table. Times are in milliseconds since the epoch. */
private[globaltable] class RefreshLog {
  @volatile private var confirmed: Option[Long] = None
  @volatile private var swapped: Option[Long] = None
  @volatile private var failure: Option[Throwable] = None
  @volatile private var made = RefreshCounts(0, 0)
  @volatile private var retries = 0

  def counts: RefreshCounts = made

  /** When the last version was swapped in. */
  def lastRefresh: Option[Long] = swapped

  /** Since the start of the last look at the source that found the current version. */
  def age: Option[Long] = confirmed.map(System.currentTimeMillis - _)

  /** Whether the source was looked at after a moment, and held the current version. */
  def isConfirmedSince(moment: Long): Boolean = confirmed.exists(_ >= moment)

  /** Of the last attempt, if it failed. */
  def error: Option[Throwable] = failure

  /** For people, without secrets. */
  def lastError: Option[String] =
    failure.map(RefreshLog.safeMessage)

  /** How long to wait after failures: doubles from 100 ms, up to 30 s; None after a success. */
  def backoff: Option[Duration] = Option.when(retries > 0)(
    Seq(Duration.ofMillis(50L << math.min(retries, 10)), RefreshLog.MAX_BACKOFF).min)

  def resetBackoff(): Unit = retries = 0

  /** @param started when the source was looked at */
  def succeeded(started: Long): Unit = {
    confirmed = Some(started)
    failure = None
    retries = 0
  }

  def failed(error: Throwable): Unit = {
    failure = Some(error)
    retries += 1
    made = made.copy(failures = made.failures + 1)
  }

  def versionSwapped(): Unit = {
    swapped = Some(System.currentTimeMillis)
    made = made.copy(refreshes = made.refreshes + 1)
  }
}

private[globaltable] object RefreshLog {
  private val MAX_BACKOFF = Duration.ofSeconds(30)

  /** Of the root of an error, without secrets. */
  def safeMessage(error: Throwable): String = {
    val root = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq.last
    Redaction.text(SQLConf.get, s"${root.getClass.getSimpleName}: ${root.getMessage}")
  }
}
