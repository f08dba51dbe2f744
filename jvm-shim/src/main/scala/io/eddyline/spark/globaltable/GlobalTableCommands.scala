package io.eddyline.spark.globaltable

import scala.util.control.NonFatal

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.QualifiedNames
import org.apache.spark.sql.types.{StringType, StructType}

import io.eddyline.spark.base.{DescriptionRows, EddylineErrors, RowsCommand}
import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.globaltable.refresh.{GlobalTable, GlobalTables}

/** A statement about one global table. Errors: EDDYLINE_GLOBAL_TABLE.NOT_FOUND, NOT_GLOBAL. */
sealed trait OneGlobalTableCommand extends RowsCommand {
  def name: Seq[String]
  def place: Origin

  protected def rows(entry: CatalogEntry, session: SparkSession): Seq[Row]

  override protected def columns: StructType = GlobalTableRows.CONTROL

  override protected def rows(session: SparkSession): Seq[Row] =
    CatalogEntry.find(QualifiedNames.table(session, name), session) match {
      case Some(entry) if entry.isGlobal => rows(entry, session)
      case Some(_) => fail("NOT_GLOBAL")
      case None => missing
    }

  protected def missing: Seq[Row] = fail("NOT_FOUND")

  protected def table(entry: CatalogEntry, session: SparkSession): GlobalTable =
    GlobalTables.of(session).table(entry)

  private def fail(condition: String): Nothing =
    EddylineErrors.fail(s"EDDYLINE_GLOBAL_TABLE.$condition", place,
      "table" -> name.map(quoteIfNeeded).mkString("."))
}

/** DROP GLOBAL TABLE: removes the object, its replicas and its snapshots. */
case class DropGlobalTableCommand(name: Seq[String], ifExists: Boolean, place: Origin)
  extends OneGlobalTableCommand {
  override protected def missing: Seq[Row] = if (ifExists) Nil else super.missing

  override protected def rows(entry: CatalogEntry, session: SparkSession): Seq[Row] = {
    val dropped = table(entry, session)
    CatalogChanges.drop(entry, session)
    GlobalTables.of(session).drop(dropped)
    Seq(GlobalTableRows.control(dropped))
  }
}

/** REFRESH GLOBAL TABLE: probes the source now, and takes its files for complete. */
case class RefreshGlobalTableCommand(name: Seq[String], place: Origin)
  extends OneGlobalTableCommand {
  override protected def rows(entry: CatalogEntry, session: SparkSession): Seq[Row] = {
    val refreshed = table(entry, session)
    try refreshed.refresh()
    catch { case NonFatal(e) => throw EddylineErrors.withPosition(e, place) }
    Seq(GlobalTableRows.control(refreshed))
  }
}

/** ALTER GLOBAL TABLE … SET: changes options; if that fails, the table keeps the old ones. */
case class AlterGlobalTableCommand(name: Seq[String], changes: OptionChanges, place: Origin)
  extends OneGlobalTableCommand {
  override protected def rows(entry: CatalogEntry, session: SparkSession): Seq[Row] = {
    val altered = table(entry, session)
    val options = changes.applyTo(entry.options)
    val others = entry.properties.filter { case (key, _) =>
      key == GlobalTableOptions.QUERY || SessionSettings.isStoredByEddyline(key) ||
      !GlobalTableOptions.isReserved(key)
    }
    val properties = others ++ changes.properties ++ changes.comment.map("comment" -> _) ++
      options.properties
    CatalogChanges.replaceProperties(entry, entry.properties, properties, session)
    try altered.alter(options)
    catch {
      case e: Throwable =>
        CatalogChanges.restore(entry, properties, session)
        throw EddylineErrors.withPosition(e, place)
    }
    Seq(GlobalTableRows.control(altered))
  }
}

/** SHOW GLOBAL TABLES, of the current namespace or of the one named. */
case class ShowGlobalTablesCommand(namespace: Option[Seq[String]]) extends RowsCommand {
  override protected def columns: StructType = GlobalTableRows.OVERVIEW

  override protected def rows(session: SparkSession): Seq[Row] = {
    val globals = GlobalTables.of(session)
    CatalogEntry.globalTables(namespace, session).map(GlobalTableRows.overview(_, globals))
  }
}

case class DescribeGlobalTableCommand(name: Seq[String], place: Origin)
  extends OneGlobalTableCommand {
  override protected def columns: StructType = DescriptionRows.SCHEMA

  override protected def rows(entry: CatalogEntry, session: SparkSession): Seq[Row] =
    GlobalTableRows.description(entry, session)
}

case class ShowCreateGlobalTableCommand(name: Seq[String], place: Origin)
  extends OneGlobalTableCommand {
  override protected def columns: StructType = new StructType().add("statement", StringType)

  override protected def rows(entry: CatalogEntry, session: SparkSession): Seq[Row] =
    Seq(Row(CreateStatement.of(entry, session)))
}
