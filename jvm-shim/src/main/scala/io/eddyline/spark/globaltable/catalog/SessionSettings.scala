package io.eddyline.spark.globaltable.catalog

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.ViewHelper

/**
 * The settings of a session that rows depend on, such as its time zone, ANSI mode and the case of
 * names: those that Spark stores with a view. Each refresh of a global table uses the settings of
 * the session that created it. Spark stores those of the query form, as it does for any view;
 * eddyline stores those of the table form.
 */
private[globaltable] object SessionSettings {
  private val PREFIX = s"${GlobalTableOptions.MARKER}.sqlConfig."

  /**
   * Prefixes of settings that change no rows: those of streams, the optimizer and EXPLAIN, and the
   * style in which BINARY is printed, which the Thrift server sets with a session's first result.
   */
  private val WITHOUT_EFFECT = Seq(
    "spark.sql.streaming.", "spark.sql.cbo.", "spark.sql.artifact.", "spark.sql.ui.",
    "spark.sql.extendedExplainProviders", "spark.sql.binaryOutputStyle")

  def of(session: SparkSession): Map[String, String] =
    ViewHelper.sqlConfigsToProps(session.sessionState.conf, prefix = "").filter(affectsRows)

  /** The settings of a session as properties for the catalog. */
  def properties(session: SparkSession): Map[String, String] =
    of(session).map { case (key, value) => s"$PREFIX$key" -> value }

  /** The settings in the properties of a table or view; empty if it was created without any. */
  def stored(properties: collection.Map[String, String]): Map[String, String] =
    properties.iterator.flatMap { case (key, value) =>
      Seq(PREFIX, CatalogTable.VIEW_SQL_CONFIG_PREFIX).find(key.startsWith)
        .map(prefix => key.stripPrefix(prefix) -> value)
    }.filter(affectsRows).toMap

  def isStoredByEddyline(key: String): Boolean = key.startsWith(PREFIX)

  /** Sets these settings in a session and resets the others to their defaults, as for a view. */
  def set(settings: Map[String, String], session: SparkSession): Unit = {
    val conf = session.sessionState.conf
    (of(session).keySet -- settings.keySet).foreach(conf.unsetConf)
    settings.foreach { case (key, value) => conf.setConfString(key, value) }
  }

  /** The settings as sorted `key=value` texts, without secrets. */
  def shown(settings: Map[String, String], session: SparkSession): Seq[String] =
    session.sessionState.conf.redactOptions(settings).toSeq.sorted
      .map { case (key, value) => s"$key=${value.replaceAll("\\s+", " ")}" }

  private def affectsRows(setting: (String, String)): Boolean =
    setting._1.startsWith("spark.sql.") && !WITHOUT_EFFECT.exists(setting._1.startsWith)
}
