package io.eddyline.spark.globaltable

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.analysis.{AsOfVersion, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

/** The versions of a table whose catalog can read each of them again, so that none is copied. */
private[globaltable] class CatalogVersions(id: TableId, globals: GlobalTables) extends Logging {
  import CatalogVersions._

  @volatile private var live: Option[DataSourceV2Relation] = None

  /** From now on versions are read through this relation. */
  def follow(table: DataSourceV2Relation): Unit = live = Some(table)

  /** A version that the catalog still has. Raises what the catalog does if it cannot be asked. */
  def find(name: String): Option[Version] = live.flatMap { table =>
    try {
      at(table, name)
      Some(Version(name, 0, name))
    } catch {
      case NonFatal(e) =>
        // every catalog has an error of its own for it, so it is told by the table being there
        SessionInternals.detached(globals.session)(Source.of(id, globals))
        logWarning(s"Global table ${id.shortName} has no version $name any more", e)
        None
    }
  }

  /** The plan that reads a version, with the attributes that a query knows. */
  def read(
      version: Version,
      primaryKey: Seq[String],
      output: Seq[AttributeReference]): LogicalPlan = {
    val rows = withoutNullKeys(at(live.get, version.name), primaryKey)
    val resolved = globals.session.sessionState.executePlan(rows).analyzed
    Project(output.map { attribute =>
      val column = resolved.output.find(column => SQLConf.get.resolver(column.name, attribute.name))
        .getOrElse(Literal(null, attribute.dataType)) // which that version had not yet
      Alias(column, attribute.name)(exprId = attribute.exprId, qualifier = attribute.qualifier)
    }, resolved)
  }
}

private[globaltable] object CatalogVersions {

  def withoutNullKeys(rows: LogicalPlan, primaryKey: Seq[String]): LogicalPlan =
    primaryKey.map(key => IsNotNull(UnresolvedAttribute.quoted(key))).reduceOption(And)
      .fold(rows)(Filter(_, rows))

  /** Spelled out as of a version, since Spark brings every other relation up to the latest one. */
  def at(table: DataSourceV2Relation, version: String): DataSourceV2Relation =
    (table.catalog, table.identifier) match {
      case (Some(catalog: TableCatalog), Some(identifier)) => table.copy(
          table = catalog.loadTable(identifier, version),
          timeTravelSpec = Some(AsOfVersion(version)))
      case _ => table
    }
}
