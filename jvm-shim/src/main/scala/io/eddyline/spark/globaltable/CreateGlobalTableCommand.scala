package io.eddyline.spark.globaltable

import scala.util.control.NonFatal

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.{QualifiedNames, SessionInternals}
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.{EddylineErrors, RowsCommand}
import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.globaltable.refresh.{GlobalTable, GlobalTables, SnapshotWriter, Source}

/**
 * CREATE GLOBAL TABLE: creates the object in the catalog and loads its first version. If it cannot
 * be loaded, the object is removed again, and what OR REPLACE replaced is restored. OR REPLACE by
 * the definition that the table already has only refreshes it.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.INVALID_LATEST_BY, KEY_MISSING, NOT_GLOBAL, READS_STREAM,
 * SOURCE_NOT_SUPPORTED, UNRESOLVED_COLUMN, those of a refresh, and Spark's of its own CREATE.
 */
case class CreateGlobalTableCommand(
    name: Seq[String],
    clauses: OptionChanges,
    form: GlobalTableForm,
    ifNotExists: Boolean,
    place: Origin)
  extends RowsCommand {
  override protected def columns: StructType = GlobalTableRows.CONTROL

  /** Prints only the name: options may contain secrets. */
  override protected def stringArgs: Iterator[Any] = Iterator(name.mkString("."))

  override protected def rows(session: SparkSession): Seq[Row] = {
    val full = QualifiedNames.table(session, name)
    val table = CatalogEntry.find(full, session) match {
      case Some(entry) if !entry.isGlobal && (ifNotExists || form.orReplace) => notGlobal
      case Some(entry) if ifNotExists => GlobalTables.of(session).table(entry)
      case Some(entry) if form.orReplace && form.matches(entry, options, session) =>
        refreshed(entry, session)
      case _ => GlobalTables.of(session).withRefreshPaused(full)(create(full, session))
    }
    table.version()
    Seq(GlobalTableRows.control(table))
  }

  /** Refreshes the table that the statement would create again, so its streams go on. */
  private def refreshed(entry: CatalogEntry, session: SparkSession): GlobalTable = {
    val table = GlobalTables.of(session).table(entry)
    try table.refresh()
    catch { case NonFatal(e) => throw EddylineErrors.withPosition(e, place) }
    table
  }

  private def create(full: Seq[String], session: SparkSession): GlobalTable = {
    val globals = GlobalTables.of(session)
    val before = CatalogEntry.find(full, session) // again: another session may have replaced it
    if (before.exists(!_.isGlobal) && form.orReplace) notGlobal
    val statement =
      try form.statement(options, session)
      catch { case NonFatal(e) => throw EddylineErrors.withPosition(e, place) }
    SessionInternals.frame(session, statement)
    val entry = CatalogEntry.find(full, session).get
    if (entry.isGlobalInFormatOnly(session)) {
      CatalogChanges.drop(entry, session)
      fail("SOURCE_NOT_SUPPORTED", place, "table" -> entry.id.shortName, "source" -> entry.source)
    }
    if (!entry.isGlobal) notGlobal // another session created it meanwhile
    val others = before.filter(_.id != entry.id)
    try {
      val relation = Source.relation(entry, session).getOrElse(fail(
          "SOURCE_NOT_SUPPORTED", place, "table" -> entry.id.shortName, "source" -> entry.source))
      check(relation, session)
      val made = globals.table(entry)
      try {
        made.refresh()
        globals.load(relation)
      } catch { case NonFatal(e) => throw EddylineErrors.withPosition(e, place) }
      others.foreach(other => globals.drop(globals.table(other)))
      globals.replaceOthers(made)
      made
    } catch {
      case e: Throwable =>
        if (before.isEmpty || others.nonEmpty) globals.drop(globals.table(entry))
        else globals.forget(globals.table(entry))
        before match {
          case Some(old) => old.metadata.foreach(session.sessionState.catalog.alterTable)
          case None => CatalogChanges.drop(entry, session)
        }
        throw e
    }
  }

  private def options: GlobalTableOptions = {
    val options = clauses.applyTo(GlobalTableOptions())
    if (options.latestBy.isDefined && options.primaryKey.isEmpty) {
      fail("KEY_MISSING", clauses.latestByPlace)
    }
    options
  }

  private def check(relation: GlobalRelation, session: SparkSession): Unit = {
    if (relation.plan.isStreaming) {
      fail("READS_STREAM", place, "table" -> relation.id.shortName)
    }
    val schema = DataTypeUtils.fromAttributes(relation.output)
    SnapshotWriter.requireKeys(relation.id, relation.options, schema,
      clauses.keyPlaces.getOrElse(_, place))
    relation.options.latestBy.foreach { order =>
      try SessionInternals.frame(session, relation.plan).selectExpr(order)
      catch {
        case e: AnalysisException => throw EddylineErrors.analysis(
            "EDDYLINE_GLOBAL_TABLE.INVALID_LATEST_BY",
            Map("expression" -> order, "columns" -> schema.fieldNames.mkString(", ")),
            clauses.latestByPlace, Some(e))
      }
    }
  }

  private def notGlobal: Nothing =
    fail("NOT_GLOBAL", place, "table" -> name.map(quoteIfNeeded).mkString("."))

  private def fail(condition: String, at: Origin, parameters: (String, String)*): Nothing =
    EddylineErrors.fail(s"EDDYLINE_GLOBAL_TABLE.$condition", at, parameters: _*)
}
