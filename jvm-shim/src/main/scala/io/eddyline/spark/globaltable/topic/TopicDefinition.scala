package io.eddyline.spark.globaltable.topic

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.util.{DropMalformedMode, FailFastMode, ParseMode}
import org.apache.spark.sql.catalyst.util.{CaseInsensitiveMap, PermissiveMode}
import org.apache.spark.sql.types.{StructField, StructType}

import io.eddyline.spark.base.EddylineErrors

/**
 * What a global table over a topic is: the options of its statement, read and checked.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.TOPIC_COLUMNS, TOPIC_KEY_MISSING, TOPIC_KEY_TYPE, TOPIC_OPTION,
 * TOPIC_SCHEMA.
 *
 * @param given the options of the table
 * @param columns the columns of the table
 * @param primaryKey the columns that the key of a record holds
 */
private[globaltable] case class TopicDefinition(
    given: Map[String, String],
    columns: StructType,
    primaryKey: Seq[String]) {
  import TopicDefinition._

  private val options = CaseInsensitiveMap(given)

  /** The topic. */
  val name: String = required(SUBSCRIBE)

  /** The brokers, as `host:port`. */
  val servers: String = required(SERVERS)

  val keyFormat: RecordFormat = format("key", "string")
  val valueFormat: RecordFormat = format("value", "json")

  /** What happens to a record whose key or value cannot be read. */
  val mode: ParseMode = options.get(MODE).map(_.toUpperCase(Locale.ROOT)) match {
    case None | Some(PermissiveMode.name) => PermissiveMode
    case Some(DropMalformedMode.name) => DropMalformedMode
    case Some(FailFastMode.name) => FailFastMode
    case Some(_) => invalid(MODE, "Write PERMISSIVE, DROPMALFORMED or FAILFAST.")
  }

  /**
   * How long the topic keeps tombstones, in milliseconds. A reader that was away for as long may
   * have missed deletions.
   */
  val deleteRetention: Long = options.get(DELETE_RETENTION).fold(DEFAULT_DELETE_RETENTION) { text =>
    text.trim.toLongOption.filter(_ >= 0).getOrElse(invalid(DELETE_RETENTION,
        "Write milliseconds, as many as the topic's own setting of this name has."))
  }

  private val (keys, values) = columns.partition(column =>
    primaryKey.exists(_.equalsIgnoreCase(column.name)))
  val keyColumns: StructType = StructType(keys)
  val valueColumns: StructType = StructType(values)

  if (name.contains(",")) invalid(SUBSCRIBE, "Name one topic.")
  REFUSED.find(options.contains).foreach(
    invalid(_, "Leave it out: a global table holds the whole topic, and follows it."))
  if (primaryKey.isEmpty) fail("TOPIC_KEY_MISSING", "topic" -> name)
  keys.find(column => !RowOrdering.isOrderable(column.dataType)).foreach { column =>
    fail("TOPIC_KEY_TYPE",
      "topic" -> name, "column" -> column.name, "type" -> column.dataType.sql)
  }
  requireColumns("key", keyFormat, keys)
  requireColumns("value", valueFormat, values)

  /** The options with which Spark's Kafka source reads, unless others are given. */
  def readerOptions: Map[String, String] =
    CaseInsensitiveMap(DEFAULTS) ++ (options -- OWN).toSeq

  private def required(option: String): String = options.get(option).map(_.trim)
    .filter(_.nonEmpty).getOrElse(invalid(option,
        "Write OPTIONS ('kafka.bootstrap.servers' 'host:9092', subscribe 'topic')."))

  private def format(part: String, default: String): RecordFormat = {
    val (option, schema) = (s"$part.format", s"$part.avroSchema")
    val name = options.getOrElse(option, default).toLowerCase(Locale.ROOT)
    if (name != RecordFormat.Avro.NAME && options.contains(schema)) {
      invalid(schema, s"Leave it out, or write '$option' 'avro'.")
    }
    name match {
      case RecordFormat.Text.name => RecordFormat.Text
      case RecordFormat.Json.name => RecordFormat.Json
      case RecordFormat.Avro.NAME => RecordFormat.Avro(options.getOrElse(schema,
            invalid(schema, "Write the Avro schema of the topic's writer, as JSON.")))
      case _ => invalid(option, "Write string, json or avro.")
    }
  }

  private def requireColumns(
      part: String, format: RecordFormat, columns: Seq[StructField]): Unit =
    if (columns.isEmpty || format.hasOneColumn && columns.length > 1) {
      fail("TOPIC_COLUMNS", "topic" -> name, "part" -> part, "format" -> format.name,
        "count" -> (if (format.hasOneColumn) "one column" else "at least one column"),
        "found" -> (if (columns.isEmpty) "none" else columns.map(_.name).mkString(", ")))
    } else {
      format.whyNot(StructType(columns)).foreach { reason =>
        fail("TOPIC_SCHEMA", "topic" -> name, "part" -> part, "reason" -> reason)
      }
    }

  private def invalid(option: String, hint: String): Nothing = fail("TOPIC_OPTION",
    "option" -> option, "value" -> options.get(option).fold("missing")(v => s"'$v'"),
    "hint" -> hint)

  private def fail(condition: String, parameters: (String, String)*): Nothing =
    throw EddylineErrors.analysis(s"EDDYLINE_GLOBAL_TABLE.$condition", parameters.toMap)
}

private[globaltable] object TopicDefinition {
  private val SUBSCRIBE = "subscribe"
  private val SERVERS = "kafka.bootstrap.servers"
  private val MODE = "mode"
  private val DELETE_RETENTION = "delete.retention.ms"

  /** Kafka's default of the topic's setting: 24 hours. */
  private val DEFAULT_DELETE_RETENTION = 86400000L

  private val OWN = Seq("key.format", "value.format", "key.avroSchema", "value.avroSchema",
    DELETE_RETENTION, MODE, "path")

  /** Options that would read other records than all, or go on where some are lost. */
  private val REFUSED = Seq(
    "assign", "subscribePattern", "startingOffsets", "endingOffsets", "startingTimestamp",
    "endingTimestamp", "startingOffsetsByTimestamp", "endingOffsetsByTimestamp",
    "failOnDataLoss", "includeHeaders")

  /**
   * Defaults of the readers: they skip aborted records, and report in seconds that a broker cannot
   * be reached.
   */
  private val DEFAULTS = Map(
    "kafka.isolation.level" -> "read_committed",
    "kafka.default.api.timeout.ms" -> "20000",
    "kafka.request.timeout.ms" -> "10000",
    "fetchOffset.numRetries" -> "1")
}
