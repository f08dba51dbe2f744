package io.eddyline.spark.globaltable.refresh

import java.io.FileNotFoundException
import java.time.Duration

import org.apache.spark.SparkThrowable
import org.apache.spark.rpc.eddyline.BroadcastVersions.StalenessLimit
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{EddylineErrors, Redaction}
import io.eddyline.spark.globaltable.catalog.{GlobalTableOptions, TableId}
import io.eddyline.spark.globaltable.version.{RefreshCounts, Version}

/**
 * What this application knows of a global table at one moment. Times are in ms since the epoch.
 *
 * @param lastUse when a query last used the table
 * @param version the version that queries get; None before the first load
 * @param isDropped whether the catalog no longer contains the table
 * @param isReplaced whether another table had its name when it was last looked for, so that it is
 *                   not probed
 * @param isSuspended whether its probes have stopped, because no query used it for a while
 * @param isWaiting whether the last probe was inconclusive and another one soon may decide
 * @param lastProbe when the last probe of the source began
 * @param confirmed when the last probe that confirmed the version began
 * @param lastRefresh when the version became the current one
 * @param error the error of the last refresh; None if it succeeded
 * @param retries number of failures since the last success
 */
private[globaltable] case class TableState(
    options: GlobalTableOptions,
    lastUse: Long,
    version: Option[Version] = None,
    isDropped: Boolean = false,
    isReplaced: Boolean = false,
    isSuspended: Boolean = false,
    isWaiting: Boolean = false,
    lastProbe: Long = 0,
    confirmed: Option[Long] = None,
    lastRefresh: Option[Long] = None,
    error: Option[Throwable] = None,
    retries: Int = 0,
    counts: RefreshCounts = RefreshCounts(0, 0)) {

  /** Whether only REFRESH GLOBAL TABLE makes a new version (REFRESH MANUAL). */
  def isManual: Boolean = options.refresh.isEmpty

  /** Whether the refresher probes; also for a dropped table, as its name may be created again. */
  def isProbed: Boolean = !isManual && !isReplaced && !isSuspended

  /** Milliseconds since the start of the last probe that confirmed the version; None: never. */
  def age(now: Long): Option[Long] = confirmed.map(now - _)

  /** Whether the version is older than MAX STALENESS. */
  def isStale(now: Long): Boolean =
    options.maxStaleness.exists(bound => age(now).forall(_ > bound.toMillis))

  /** Whether a probe is to confirm the version before it is that old; not after a failure. */
  def isAging(now: Long, bound: Option[Duration] = options.maxStaleness): Boolean = isProbed &&
    error.isEmpty && bound.exists(bound => age(now).forall(_ > bound.toMillis / 2))

  /**
   * How long tasks may still use the version, if there is MAX STALENESS; nothing confirms that of a
   * manual table during a micro-batch.
   */
  def limit(id: TableId, now: Long): Option[StalenessLimit] =
    options.maxStaleness.filterNot(_ => isManual).map(_.toMillis).map { bound =>
      val left = age(now).fold(0L)(bound - _)
      StalenessLimit(left, bound, options.staleWait.fold(0L)(_.toMillis), staleParameters(id))
    }

  /** The parameters of the error STALE, but for the age. */
  def staleParameters(id: TableId): Map[String, String] = Map(
    "table" -> id.shortName,
    "version" -> version.fold("")(_.name),
    "bound" -> options.maxStaleness.fold("")(bound => s"${bound.toMillis} ms"),
    "error" -> lastError.getOrElse("none"))

  def status(now: Long): TableStatus =
    if (isDropped) TableStatus.Dropped
    else if (version.isEmpty && error.isEmpty) TableStatus.Loading
    else if (isStale(now)) TableStatus.Stale
    else if (error.isDefined) TableStatus.Failing
    else if (isSuspended) TableStatus.Suspended
    else TableStatus.Ok

  /** The class and message of [[error]], without secrets. */
  def lastError: Option[String] = error.map(TableState.safeMessage)

  /** Whether the last refresh failed because a job was overwriting the source. */
  def isOverwritten: Boolean = error.exists {
    case _: FileNotFoundException => true // the job has removed the folder
    case named: SparkThrowable => named.getCondition == TableState.NOT_COMMITTED
    case _ => false
  }

  /** The wait after a failure, which doubles from 100 ms up to 30 s; None after a success. */
  def backoff: Option[Duration] = Option.when(retries > 0)(
    Seq(Duration.ofMillis(50L << math.min(retries, 10)), TableState.MAX_BACKOFF).min)

  /**
   * The state after a probe that has confirmed the version.
   *
   * @param since the time of which the probe shows the source; None: unknown
   */
  def succeeded(since: Option[Long]): TableState =
    copy(confirmed = since, error = None, retries = 0, isWaiting = false)

  def failed(error: Throwable): TableState = copy(
    error = Some(error), retries = retries + 1, isWaiting = false,
    counts = counts.copy(failures = counts.failures + 1))

  /** The state once the catalog contains the table again. */
  def returned: TableState = copy(isDropped = false, isReplaced = false)

  /** The state once a refresh has made `version` the current one. */
  def refreshed(version: Version, now: Long): TableState = copy(
    version = Some(version), lastRefresh = Some(now),
    counts = counts.copy(refreshes = counts.refreshes + 1))
}

private[globaltable] object TableState {

  /** The condition of the error that a job is writing the source. */
  val NOT_COMMITTED = "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED"
  private val MAX_BACKOFF = Duration.ofSeconds(30)

  /** Returns the class and message of an error's root cause, without secrets. */
  def safeMessage(error: Throwable): String = {
    val root = EddylineErrors.causes(error).last
    Redaction.text(SQLConf.get, s"${root.getClass.getSimpleName}: ${root.getMessage}")
  }
}

/** The status of a global table, as SHOW GLOBAL TABLES prints it. */
sealed abstract class TableStatus(val name: String)

object TableStatus {
  case object Loading extends TableStatus("LOADING")
  case object Ok extends TableStatus("OK")

  /** The current version was last confirmed longer ago than MAX STALENESS. */
  case object Stale extends TableStatus("STALE")

  /** The last refresh failed; queries get the previous version. */
  case object Failing extends TableStatus("FAILING")

  /** The table was not used for the idle timeout; its source is not probed until it is. */
  case object Suspended extends TableStatus("SUSPENDED")

  /** The catalog no longer has the table; running queries keep its last version. */
  case object Dropped extends TableStatus("DROPPED")
}
