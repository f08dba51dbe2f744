package io.eddyline.spark.globaltable.refresh

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.version.{TimeTravel, Version}

/** The versions of a table whose catalog can read each of them again, so that none is copied. */
private[globaltable] class CatalogVersions(id: TableId, context: RefreshContext) extends Logging {
  @volatile private var live: Option[DataSourceV2Relation] = None

  /** From now on versions are read through this relation. */
  def follow(table: DataSourceV2Relation): Unit = live = Some(table)

  /** A version that the catalog still has. Raises what the catalog does if it cannot be asked. */
  def find(name: String): Option[Version] = live.flatMap { table =>
    try {
      TimeTravel.at(table, name)
      Some(Version(name, 0, name))
    } catch {
      case NonFatal(e) =>
        // every catalog has an error of its own for it, so it is told by the table being there
        SessionInternals.detached(context.session)(Source.of(id, context))
        logWarning(s"Global table ${id.shortName} has no version $name any more", e)
        None
    }
  }

  /** The plan that reads a version, with the attributes that a query knows. */
  def read(
      version: Version,
      primaryKey: Seq[String],
      output: Seq[AttributeReference]): LogicalPlan = {
    val rows = TimeTravel.withoutNullKeys(TimeTravel.at(live.get, version.name), primaryKey)
    val resolved = context.session.sessionState.executePlan(rows).analyzed
    Project(output.map { attribute =>
      val column = resolved.output.find(column => SQLConf.get.resolver(column.name, attribute.name))
        .getOrElse(Literal(null, attribute.dataType)) // which that version had not yet
      Alias(column, attribute.name)(exprId = attribute.exprId, qualifier = attribute.qualifier)
    }, resolved)
  }
}
