package io.eddyline.spark.globaltable.catalog

import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Recognizes relations of a table of Iceberg that do not read the newest rows of its branch. */
private[catalog] object IcebergTimeTravel {

  /** Options that read a branch, a tag, another snapshot, the changes, or given files. */
  private val OPTIONS = Seq(
    "branch", "tag", "snapshot-id", "as-of-timestamp", "start-snapshot-id", "end-snapshot-id",
    "start-timestamp", "end-timestamp", "scan-task-set-id")

  /** The last part of a name that selects a branch, a tag, or a snapshot of the table before it. */
  private val SELECTOR = "(branch|tag)_.+|(at_timestamp|snapshot_id)_\\d+"

  /** The catalogs in which Iceberg registers tables for its procedures, by ids. */
  private val OF_PROCEDURES = Set("default_rewrite_catalog", "default_cache_catalog")

  def isReadBy(
      relation: DataSourceV2Relation, catalog: CatalogPlugin, identifier: Identifier): Boolean =
    relation.timeTravelSpec.isDefined || OPTIONS.exists(relation.options.containsKey) ||
      OF_PROCEDURES(catalog.name) ||
      // a table may have such a name itself
      identifier.name.matches(SELECTOR) && !relation.table.name.endsWith(identifier.name)
}
