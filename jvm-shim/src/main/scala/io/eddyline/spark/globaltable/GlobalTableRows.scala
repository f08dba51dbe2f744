package io.eddyline.spark.globaltable

import java.time.Instant

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.DescriptionRows
import io.eddyline.spark.globaltable.catalog.{CatalogEntry, SessionSettings, TableId}
import io.eddyline.spark.globaltable.refresh.{GlobalTable, GlobalTables}

/** The rows that statements about global tables return, and their schemas. */
private[globaltable] object GlobalTableRows {

  /** The schema of the rows of CREATE, DROP, REFRESH and ALTER GLOBAL TABLE. */
  val CONTROL: StructType = StructType.fromDDL(
    "namespace STRING, table_name STRING, version STRING, rows BIGINT, status STRING")

  /** The schema of the rows of SHOW GLOBAL TABLES; what only a load tells is NULL before it. */
  val OVERVIEW: StructType = StructType.fromDDL(
    """namespace STRING, table_name STRING, primary_key STRING, source STRING, version STRING,
      |rows BIGINT, replicas INT, replica_bytes BIGINT, last_refresh TIMESTAMP, age_ms BIGINT,
      |status STRING, last_error STRING""".stripMargin)

  def control(table: GlobalTable): Row = Row(
    namespace(table.id), table.id.name.last, table.current.map(_.name).orNull,
    table.current.flatMap(_.rows).orNull, table.status.name)

  def overview(entry: CatalogEntry, globals: GlobalTables): Row = {
    val table = globals.find(entry.id)
    val current = table.flatMap(_.current)
    val replicas = globals.replicas.of(entry.id)
    Row(
      namespace(entry.id),
      entry.id.name.last,
      entry.options.primaryKeySql.orNull,
      entry.source,
      current.map(_.name).orNull,
      current.flatMap(_.rows).orNull,
      table.map(_ => replicas.size).orNull,
      table.map(_ => replicas.flatMap(_.built).map(_.bytes).sum).orNull,
      table.flatMap(_.state.lastRefresh).map(Instant.ofEpochMilli).orNull,
      table.flatMap(_.age).orNull,
      table.map(_.status.name).orNull,
      table.flatMap(_.lastError).orNull)
  }

  def description(entry: CatalogEntry, session: SparkSession): Seq[Row] = {
    val globals = GlobalTables.of(session)
    val table = globals.find(entry.id)
    // its topic may have been read further since, if no row has changed
    val version = table.flatMap(found => found.current.map(found.topics.withLatestOffsets))
    val more = Seq(
      "clauses" -> Some(entry.options.sql.mkString(", ")),
      "settings" -> Some(SessionSettings.shown(entry.settings, session).mkString(", ")),
      "snapshots" -> Some(globals.settings.folderOf(entry.id)),
      "snapshot_bytes" -> version.flatMap(_.bytes),
      "null_keys_dropped" -> version.map(_.nullKeys),
      "changed_bytes" -> Some(globals.replicas.of(entry.id).flatMap(_.built).flatMap(_.changed))
        .filter(_.nonEmpty).map(_.map(_.sent).sum),
      "offsets" -> version.flatMap(_.topic).map(_.offsets),
      "malformed_records" -> version.flatMap(_.topic).map(_.malformed),
      "records_read" -> table.filter(_ => version.exists(_.topic.isDefined))
        .map(_.topics.recordsRead),
      "refreshes" -> table.map(_.counts.refreshes),
      "failures" -> table.map(_.counts.failures))
    DescriptionRows.of(overview(entry, globals), OVERVIEW,
      more.collect { case (field, Some(value)) => field -> value })
  }

  private def namespace(id: TableId): String = id.name match {
    case TableId.SESSION_CATALOG +: rest => rest.init.map(quoteIfNeeded).mkString(".")
    case name => name.init.map(quoteIfNeeded).mkString(".")
  }
}
