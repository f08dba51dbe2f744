package io.eddyline.spark.globaltable.catalog

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableCatalog}
import org.apache.spark.sql.eddyline.QualifiedNames

import io.eddyline.spark.base.RecoverableError

/**
 * A table or view as its catalog describes it; what it reads does not need to exist.
 *
 * @param source the format of the table, or `query`
 * @param metadata the entry of the session catalog; None in another catalog
 */
private[globaltable] case class CatalogEntry(
    id: TableId, properties: Map[String, String], source: String, metadata: Option[CatalogTable]) {
  def isGlobal: Boolean = GlobalTableOptions.isGlobal(properties)

  /** Whether only its format keeps the properties that make it global, as Delta does. */
  def isGlobalInFormatOnly(session: SparkSession): Boolean = !isGlobal && !isView &&
    QualifiedNames.inCatalog(session, id.name).exists { case (catalog, table) =>
      GlobalTableOptions.isGlobal(catalog.loadTable(table).properties.asScala)
    }

  def isView: Boolean = metadata.exists(_.tableType == CatalogTableType.VIEW)

  /** The properties that CREATE gave it, without those that Spark and catalogs add. */
  def declared: Map[String, String] = properties.filterNot { case (key, _) =>
    key.startsWith("view.") || key == "transient_lastDdlTime"
  }

  def comment: Option[String] = metadata.fold(properties.get(TableCatalog.PROP_COMMENT))(_.comment)

  /** The [[SessionSettings]] of the session that created it. */
  def settings: Map[String, String] = SessionSettings.stored(properties)

  /** The options, or the defaults if a property is invalid: ALTER and DROP must still work. */
  def options: GlobalTableOptions =
    Try(GlobalTableOptions.of(properties)).getOrElse(GlobalTableOptions())
}

private[globaltable] object CatalogEntry extends Logging {

  /** Returns the table or view called `name`: catalog, namespaces, table. */
  def find(name: Seq[String], session: SparkSession): Option[CatalogEntry] = name match {
    case Seq(TableId.SESSION_CATALOG, database, table) =>
      val identifier = TableIdentifier(table, Some(database))
      val catalog = session.sessionState.catalog
      Option.when(catalog.tableExists(identifier))(of(catalog.getTableMetadata(identifier)))
    case _ => QualifiedNames.inCatalog(session, name).collect {
        case (catalog, table) if catalog.tableExists(table) =>
          of(catalog, table, catalog.loadTable(table))
      }
  }

  /**
   * The global tables of a namespace (None: the current one), sorted by name. If one call cannot
   * load them all, each is loaded by itself, and one that fails is left out, since nothing says
   * whether it is global.
   */
  def globalTables(namespace: Option[Seq[String]], session: SparkSession): Seq[CatalogEntry] = {
    val all = QualifiedNames.namespace(session, namespace) match {
      case Seq(TableId.SESSION_CATALOG, database) =>
        val catalog = session.sessionState.catalog
        val tables = catalog.listTables(database, "*", includeLocalTempViews = false)
        Try(catalog.getTablesByName(tables).map(of)).getOrElse(
          tables.flatMap(table => tryLoad(table.quotedString)(of(catalog.getTableMetadata(table)))))
      case name +: parts => session.sessionState.catalogManager.catalog(name) match {
          case catalog: TableCatalog =>
            catalog.listTables(parts.toArray).toSeq.flatMap { identifier =>
              tryLoad(s"$name.$identifier")(of(catalog, identifier, catalog.loadTable(identifier)))
            }
          case _ => Nil
        }
    }
    all.filter(_.isGlobal).sortBy(_.id.sql)
  }

  private def tryLoad(table: String)(load: => CatalogEntry): Option[CatalogEntry] =
    try Some(load)
    catch {
      case RecoverableError(e) =>
        logWarning(s"SHOW GLOBAL TABLES leaves out $table, which its catalog cannot load", e)
        None
    }

  private def of(table: CatalogTable): CatalogEntry = CatalogEntry(
    TableId.of(table),
    table.properties,
    if (table.tableType == CatalogTableType.VIEW) "query"
    else table.provider.fold("hive")(TopicFormat.asTyped),
    Some(table))

  private def of(catalog: TableCatalog, identifier: Identifier, table: Table): CatalogEntry =
    CatalogEntry(
      TableId.of(catalog, identifier, table),
      table.properties.asScala.toMap,
      table.properties.getOrDefault(TableCatalog.PROP_PROVIDER, catalog.name),
      None)
}

/** Changes the catalog with Spark's own statements, which check the user's permissions. */
private[globaltable] object CatalogChanges {

  def drop(entry: CatalogEntry, session: SparkSession): Unit =
    session.sql(s"DROP ${kind(entry)} ${entry.id.sql}")

  /** Replaces the properties `before` of a table by others. */
  def replaceProperties(
      entry: CatalogEntry,
      before: Map[String, String],
      after: Map[String, String],
      session: SparkSession): Unit = {
    val alter = s"ALTER ${kind(entry)} ${entry.id.sql}"
    val set = after.filterNot { case (key, value) => before.get(key).contains(value) }
      .map { case (key, value) => s"${Literal(key).sql} = ${Literal(value).sql}" }
    val gone = (before.keySet -- after.keySet).map(Literal(_).sql)
    if (set.nonEmpty) session.sql(s"$alter SET TBLPROPERTIES ${set.mkString("(", ", ", ")")}")
    if (gone.nonEmpty) {
      session.sql(s"$alter UNSET TBLPROPERTIES IF EXISTS ${gone.mkString("(", ", ", ")")}")
    }
  }

  /** Restores a table to its state in `entry`, after some of its properties were changed. */
  def restore(entry: CatalogEntry, changed: Map[String, String], session: SparkSession): Unit =
    entry.metadata match {
      case Some(metadata) => session.sessionState.catalog.alterTable(metadata)
      case None => replaceProperties(entry, changed, entry.properties, session)
    }

  private def kind(entry: CatalogEntry): String = if (entry.isView) "VIEW" else "TABLE"
}
