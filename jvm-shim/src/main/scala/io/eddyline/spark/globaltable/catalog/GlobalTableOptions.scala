package io.eddyline.spark.globaltable.catalog

import java.time.Duration
import java.util.concurrent.TimeUnit.MILLISECONDS

import scala.util.Try

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

import io.eddyline.spark.base.EddylineErrors

/**
 * The clauses of CREATE GLOBAL TABLE. The catalog stores them as properties, so that Spark without
 * eddyline can read the table or view too.
 *
 * @param primaryKey names of the key columns; empty: rows may repeat, and NULLs are kept
 * @param latestBy expression whose greatest value selects one of several rows with one primary key;
 *                 None: several rows with one key are an error
 * @param refresh interval between two probes of the source; None: only REFRESH GLOBAL TABLE
 * @param maxStaleness maximum time since a version was last confirmed; None: no limit
 * @param staleWait how long a query waits if the version is stale; None: it fails at once
 * @param maxRows maximum number of rows in a version
 * @param maxBytes maximum size of a replica in bytes, as rows in memory
 */
case class GlobalTableOptions(
    primaryKey: Seq[String] = Nil,
    latestBy: Option[String] = None,
    refresh: Option[Duration] = Some(GlobalTableOptions.DEFAULT_REFRESH),
    maxStaleness: Option[Duration] = None,
    staleWait: Option[Duration] = None,
    maxRows: Long = GlobalTableOptions.DEFAULT_MAX_ROWS,
    maxBytes: Long = GlobalTableOptions.DEFAULT_MAX_BYTES) {
  import GlobalTableOptions._

  def primaryKeySql: Option[String] =
    if (primaryKey.isEmpty) None else Some(primaryKey.map(quoteIfNeeded).mkString(", "))

  def properties: Map[String, String] = Seq(
    Some(MARKER -> "true"),
    primaryKeySql.map(PRIMARY_KEY -> _),
    latestBy.map(LATEST_BY -> _),
    Some(REFRESH_EVERY -> refresh.fold(MANUAL)(text)),
    maxStaleness.map(MAX_STALENESS -> text(_)),
    staleWait.map(STALE_WAIT -> text(_)),
    Some(MAX_ROWS -> maxRows.toString),
    Some(MAX_BYTES -> maxBytes.toString)).flatten.toMap

  /** The clauses after PRIMARY KEY as SQL, without those that equal the defaults. */
  def sql: Seq[String] = Seq(
    latestBy.map(expression => s"ON DUPLICATE KEY LATEST BY $expression"),
    refresh match {
      case None => Some("REFRESH MANUAL")
      case Some(DEFAULT_REFRESH) => None
      case Some(interval) => Some(s"REFRESH EVERY ${interval.toMillis} MILLISECONDS")
    },
    maxStaleness.map(bound => s"MAX STALENESS ${bound.toMillis} MILLISECONDS"),
    staleWait.map(wait => s"ON STALE WAIT ${wait.toMillis} MILLISECONDS"),
    Option.when(maxRows != DEFAULT_MAX_ROWS)(s"MAX ROWS $maxRows"),
    Option.when(maxBytes != DEFAULT_MAX_BYTES)(s"MAX BYTES $maxBytes")).flatten
}

object GlobalTableOptions {
  val MARKER = "eddyline.global"
  val QUERY: String = s"$MARKER.query" // as typed, where the view has an edited one
  private val PRIMARY_KEY = s"$MARKER.primaryKey"
  private val LATEST_BY = s"$MARKER.latestBy"
  private val REFRESH_EVERY = s"$MARKER.refreshEvery"
  private val MAX_STALENESS = s"$MARKER.maxStaleness"
  private val STALE_WAIT = s"$MARKER.staleWait"
  private val MAX_ROWS = s"$MARKER.maxRows"
  private val MAX_BYTES = s"$MARKER.maxBytes"
  private val MANUAL = "manual"

  private val DEFAULT_REFRESH = Duration.ofSeconds(10)
  private val DEFAULT_MAX_ROWS = 100L * 1000 * 1000
  private val DEFAULT_MAX_BYTES = 2L << 30

  /** Whether the properties are those of a global table. */
  def isGlobal(properties: collection.Map[String, String]): Boolean =
    properties.get(MARKER).contains("true")

  /** Whether a property is one of eddyline's. */
  def isReserved(key: String): Boolean = key == MARKER || key.startsWith(s"$MARKER.")

  /** Reads the options from properties. Errors: EDDYLINE_GLOBAL_TABLE.INVALID_PROPERTY. */
  def of(properties: collection.Map[String, String]): GlobalTableOptions = {
    def read[T](key: String)(parse: String => T): Option[T] = properties.get(key).map { value =>
      Try(parse(value)).getOrElse(throw EddylineErrors.analysis(
          "EDDYLINE_GLOBAL_TABLE.INVALID_PROPERTY", Map("key" -> key, "value" -> value)))
    }
    def duration(text: String) = Duration.ofMillis(JavaUtils.timeStringAs(text, MILLISECONDS))
    GlobalTableOptions(
      read(PRIMARY_KEY)(columns).getOrElse(Nil),
      read(LATEST_BY)(identity),
      if (properties.get(REFRESH_EVERY).contains(MANUAL)) None
      else Some(read(REFRESH_EVERY)(duration).getOrElse(DEFAULT_REFRESH)),
      read(MAX_STALENESS)(duration),
      read(STALE_WAIT)(duration),
      read(MAX_ROWS)(_.toLong).getOrElse(DEFAULT_MAX_ROWS),
      read(MAX_BYTES)(_.toLong).getOrElse(DEFAULT_MAX_BYTES))
  }

  private def text(duration: Duration): String = s"${duration.toMillis}ms"

  private def columns(text: String): Seq[String] =
    CatalystSqlParser.parseExpression(s"array($text)").children.collect {
      case column: UnresolvedAttribute => column.nameParts.last
    }
}

/**
 * The clauses of a CREATE or ALTER statement; None: the clause is absent.
 *
 * @param latestBy Some(None): ON DUPLICATE KEY FAIL
 * @param refresh Some(None): REFRESH MANUAL
 * @param staleWait Some(None): ON STALE FAIL
 * @param properties the properties that the user set
 * @param keyPlaces position of each primary key column in the statement, for errors
 * @param latestByPlace position of the LATEST BY expression, for errors
 */
case class OptionChanges(
    primaryKey: Option[Seq[String]],
    latestBy: Option[Option[String]],
    refresh: Option[Option[Duration]],
    maxStaleness: Option[Duration],
    staleWait: Option[Option[Duration]],
    maxRows: Option[Long],
    maxBytes: Option[Long],
    comment: Option[String],
    properties: Map[String, String],
    keyPlaces: Map[String, Origin],
    latestByPlace: Origin) {

  def applyTo(options: GlobalTableOptions): GlobalTableOptions = GlobalTableOptions(
    primaryKey.getOrElse(options.primaryKey),
    latestBy.getOrElse(options.latestBy),
    refresh.getOrElse(options.refresh),
    maxStaleness.orElse(options.maxStaleness),
    staleWait.getOrElse(options.staleWait),
    maxRows.getOrElse(options.maxRows),
    maxBytes.getOrElse(options.maxBytes))
}
