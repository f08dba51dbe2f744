package org.apache.spark.sql.eddyline

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.CatalogManager.SESSION_CATALOG_NAME
import org.apache.spark.sql.connector.write.RowLevelOperationTable

/** Completes names of tables and namespaces as a session resolves them. */
object QualifiedNames {
  private class Lookup(override val catalogManager: CatalogManager) extends LookupCatalog {
    def table(name: Seq[String]): Seq[String] = name match {
      case CatalogAndIdentifier(catalog, identifier) =>
        catalog.name +: (identifier.namespace.toSeq :+ identifier.name)
    }

    def namespace(name: Seq[String]): Seq[String] = name match {
      case CatalogAndNamespace(catalog, namespace) => catalog.name +: namespace
    }
  }

  /** Returns catalog, namespaces and table of `name`. */
  def table(session: SparkSession, name: Seq[String]): Seq[String] =
    new Lookup(session.sessionState.catalogManager).table(name)

  /** Returns the same for a name that is being resolved; in a view the namespace is the view's. */
  def inView(session: SparkSession, name: Seq[String]): Seq[String] = {
    val manager = session.sessionState.catalogManager
    table(session,
      (AnalysisContext.get.catalogAndNamespace, name) match {
        case (Seq(), _) => name
        case (context, Seq(_)) => context ++ name
        case (catalog +: _, head +: _) if !manager.isCatalogRegistered(head) => catalog +: name
        case _ => name
      })
  }

  /** Returns the table of the session catalog that `name` means; None if it is in another one. */
  def sessionTable(session: SparkSession, name: Seq[String]): Option[TableIdentifier] =
    table(session, name) match {
      case Seq(SESSION_CATALOG_NAME, database, table) =>
        Some(TableIdentifier(table, Some(database)))
      case _ => None
    }

  /** Returns a table of the session catalog; None if it has no such table. */
  def sessionMetadata(session: SparkSession, name: Seq[String]): Option[CatalogTable] = {
    val catalog = session.sessionState.catalog
    sessionTable(session, name).filter(catalog.tableExists).map(catalog.getTableMetadata)
  }

  /** Returns catalog and identifier of a complete name; None if the catalog has no tables. */
  def inCatalog(session: SparkSession, name: Seq[String]): Option[(TableCatalog, Identifier)] =
    session.sessionState.catalogManager.catalog(name.head) match {
      case catalog: TableCatalog =>
        Some(catalog -> Identifier.of(name.slice(1, name.size - 1).toArray, name.last))
      case _ => None
    }

  /** Returns catalog and namespaces of `name`, or of the current namespace if it is None. */
  def namespace(session: SparkSession, name: Option[Seq[String]]): Seq[String] = {
    val manager = session.sessionState.catalogManager
    name.fold(manager.currentCatalog.name +: manager.currentNamespace.toSeq)(
      new Lookup(manager).namespace)
  }
}

/** Recognizes the target of a MERGE, UPDATE or DELETE, which Spark also reads as a relation. */
object RowLevelTargets {
  def isTarget(table: Table): Boolean = table.isInstanceOf[RowLevelOperationTable]
}
