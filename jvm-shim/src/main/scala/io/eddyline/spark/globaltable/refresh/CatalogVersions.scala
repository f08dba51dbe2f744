package io.eddyline.spark.globaltable.refresh

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.eddyline.SessionInternals

import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.version.{NamedColumns, Version, VersionedSource}

/** Reads the versions of a source from a catalog that keeps them, so that none is copied. */
private[globaltable] class CatalogVersions(id: TableId, context: RefreshContext) extends Logging {
  @volatile private var live: Option[VersionedSource] = None

  /** Sets the source through which versions are read from now on. */
  def follow(source: VersionedSource): Unit = live = Some(source)

  /** Finds a version; None if the catalog no longer has it. Errors: those of the catalog. */
  def find(name: String): Option[Version] = live.flatMap { source =>
    try {
      source.at(name, Nil)
      Some(Version(name, 0, name))
    } catch {
      case NonFatal(e) =>
        // each catalog has its own error for it, so this checks that the table itself can be read
        SessionInternals.detached(context.session)(Source.of(id, context))
        logWarning(s"Global table ${id.shortName} has no version $name any more", e)
        None
    }
  }

  /** Returns the plan that reads a version, with the attributes `output` of the query. */
  def read(
      version: Version, primaryKey: Seq[String], output: Seq[AttributeReference]): LogicalPlan = {
    val rows = live.get.at(version.name, primaryKey)
    NamedColumns.of(context.session.sessionState.executePlan(rows).analyzed, output)
  }
}
