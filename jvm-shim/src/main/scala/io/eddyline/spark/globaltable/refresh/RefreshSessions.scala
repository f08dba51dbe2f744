package io.eddyline.spark.globaltable.refresh

import java.util.{Collections, WeakHashMap}

import com.google.common.cache.{Cache, CacheBuilder}
import org.apache.spark.sql
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.internal.SQLConf.ParquetOutputTimestampType.TIMESTAMP_MICROS

import io.eddyline.spark.globaltable.catalog.SessionSettings

/**
 * The sessions that refresh tables and build replicas. They read the sources, not versions. There
 * is one session for each set of [[SessionSettings]], and one with the application's settings.
 *
 * @param user any session of the application
 */
private[globaltable] class RefreshSessions(user: SparkSession) {
  private val made = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[sql.SparkSession, java.lang.Boolean]))
  private val bySettings: Cache[Map[String, String], SparkSession] =
    CacheBuilder.newBuilder().softValues().build()

  /** The session with the settings of the application. */
  val plain: SparkSession = make(user, Map.empty)

  /** The session with these settings; if they are empty, the one with the application's. */
  def of(settings: Map[String, String]): SparkSession =
    if (settings.isEmpty) plain
    else bySettings.get(settings, () => make(plain, settings))

  /** The session that is active on this thread, or [[plain]] if that is none of these. */
  def current: SparkSession = SparkSession.getActiveSession.filter(isOwn).getOrElse(plain)

  def isOwn(session: sql.SparkSession): Boolean = made.contains(session)

  private def make(from: SparkSession, settings: Map[String, String]): SparkSession = {
    val own = from.newSession()
    if (settings.nonEmpty) SessionSettings.set(settings, own)
    RefreshSessions.FIXED.foreach { case (key, value) => own.conf.set(key, value) }
    own.conf.getAll.keys.foreach {
      case RefreshSessions.CATALOG(name) => own.conf.set(s"$name.cache-enabled", "false")
      case _ =>
    }
    made.add(own)
    own
  }
}

private object RefreshSessions {

  /** The conf of a catalog. One that caches tables, as Iceberg's does, would hide new versions. */
  private val CATALOG = "(spark\\.sql\\.catalog\\.[^.]+)".r

  /**
   * Settings under which a version has all rows of the source, to the last microsecond. The
   * excluded rule drops the counters of what a plan reads where nothing of it is left.
   */
  private val FIXED = Map(
    SQLConf.ADAPTIVE_OPTIMIZER_EXCLUDED_RULES.key -> AQEPropagateEmptyRelation.ruleName,
    SQLConf.IGNORE_CORRUPT_FILES.key -> "false",
    SQLConf.IGNORE_MISSING_FILES.key -> "false",
    SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> TIMESTAMP_MICROS.toString,
    SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key -> LegacyBehaviorPolicy.CORRECTED.toString,
    SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key -> LegacyBehaviorPolicy.CORRECTED.toString)
}
