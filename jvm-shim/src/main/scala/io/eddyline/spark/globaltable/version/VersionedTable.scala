package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.analysis.{AsOfVersion, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.eddyline.QualifiedNames
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.globaltable.catalog.TableId

/**
 * A table whose catalog keeps its versions and reads each of them again, where a plan reads its
 * newest version.
 *
 * @param version the newest version when the plan was resolved
 * @param state the version, and what tells it from one of its name of an earlier table
 */
private[globaltable] class VersionedTable(
    relation: DataSourceV2Relation,
    catalog: TableCatalog,
    identifier: Identifier,
    val version: String,
    val state: String) {

  /**
   * Returns a plan that reads another version, with the attributes of this relation: NULL where
   * that version has no such column. Errors: those of the catalog, if it has no such version.
   */
  def at(version: String): LogicalPlan =
    if (version == VersionedTable.NO_SNAPSHOT) {
      LocalRelation(relation.output)
    } else {
      // marked as time travel, so that Spark does not replace it by the newest version
      val read = DataSourceV2Relation.create(
        catalog.loadTable(identifier, version), Some(catalog), Some(identifier), relation.options)
        .copy(timeTravelSpec = Some(AsOfVersion(version)))
      NamedColumns.of(read, relation.output)
    }
}

private[globaltable] object VersionedTable {

  /** The version of a table of Iceberg into which nothing was written yet. */
  private val NO_SNAPSHOT = "empty"

  private val DELTA = "delta"

  /** `Table.version()` of Iceberg, whose catalog takes only the number of the snapshot. */
  private val OF_ICEBERG = "branch_.*_snapshot_(\\d+)".r
  private val EMPTY_ICEBERG = "branch_.*_snapshot_null".r

  /** The newest version of a table of Delta, whose `Table.version()` is null. */
  private val OF_DELTA = TreeNodeTag[DeltaVersion]("eddyline_version")

  /** The number of a version, which a table that was created again has once more; and its time. */
  private case class DeltaVersion(number: String, committed: String)

  def unapply(leaf: LogicalPlan): Option[VersionedTable] = leaf match {
    case table: DataSourceV2Relation if table.timeTravelSpec.isEmpty =>
      for {
        catalog <- table.catalog.collect { case catalog: TableCatalog => catalog }
        identifier <- table.identifier
        version <- versionOf(table)
        state <- stateOf(table)
      } yield new VersionedTable(table, catalog, identifier,
        version match {
          case OF_ICEBERG(snapshot) => snapshot
          case EMPTY_ICEBERG() => NO_SNAPSHOT
          case other => other
        },
        state)
    case _ => None
  }

  /** The version that a relation reads, as its source names it; None: it keeps none. */
  def versionOf(relation: DataSourceV2Relation): Option[String] =
    relation.getTagValue(OF_DELTA).map(_.number).orElse(Option(relation.table.version))

  /** The same, and what tells it from a version of that name of an earlier table. */
  def stateOf(relation: DataSourceV2Relation): Option[String] =
    relation.getTagValue(OF_DELTA).map(_.toString).orElse(
      Option(relation.table.version).map(version => s"$version ${relation.table.id}"))

  /**
   * Returns a plan in which tables of Delta, which Spark reads as files, are tables of their
   * catalog again. What reads an older version of such a table stays as it is.
   */
  def restored(plan: LogicalPlan, session: SparkSession): LogicalPlan =
    plan.transformDownWithSubqueries {
      case files @ LogicalRelationWithTable(of: HadoopFsRelation, Some(table))
          if table.provider.contains(DELTA) && FileRelation.isListedByExtension(of) &&
            !files.isStreaming =>
        relation(table, session).filter(newest(_, session).contains(of.location))
          .fold[LogicalPlan](files) { relation =>
            val restored = relation.copy(output = files.output)
            restored.setTagValue(OF_DELTA, deltaVersion(table, session))
            restored
          }
    }

  private def deltaVersion(table: CatalogTable, session: SparkSession): DeltaVersion = {
    val newest = session.sql(s"DESCRIBE HISTORY ${table.identifier.quotedString} LIMIT 1")
      .selectExpr("string(version)", "string(timestamp)").head()
    DeltaVersion(newest.getString(0), newest.getString(1))
  }

  private def relation(table: CatalogTable, session: SparkSession): Option[DataSourceV2Relation] =
    QualifiedNames.inCatalog(session, TableId.of(table).name).map { case (catalog, identifier) =>
      DataSourceV2Relation.create(catalog.loadTable(identifier), Some(catalog), Some(identifier))
    }

  /** Returns the index of the files that a query of the table reads, which has no version in it. */
  private def newest(table: DataSourceV2Relation, session: SparkSession): Option[FileIndex] =
    session.sessionState.executePlan(table).analyzed.collectFirst {
      case LogicalRelationWithTable(of: HadoopFsRelation, _) => of.location
    }
}

/**
 * Columns and rows of one [[VersionedTable]]. Any of its versions can be read again, so none needs
 * a copy.
 *
 * @param plan reads the newest version of `table`, and nothing else
 */
private[globaltable] class VersionedSource(plan: LogicalPlan, val table: VersionedTable) {

  /**
   * Returns the rows of a version that have a primary key. Errors: those of the catalog, if it has
   * no such version.
   */
  def at(version: String, primaryKey: Seq[String]): LogicalPlan = {
    val rows = plan.transformUp { case VersionedTable(_) => table.at(version) }
    primaryKey.map(key => IsNotNull(UnresolvedAttribute.quoted(key))).reduceOption(And)
      .fold(rows)(Filter(_, rows))
  }
}

/** Reads another version of a table with the attributes that a plan already has for it. */
private[globaltable] object NamedColumns {

  /**
   * Returns the rows of a resolved plan with these attributes, found by their names: cast to the
   * types of these, and NULL if the plan has no such column.
   */
  def of(rows: LogicalPlan, wanted: Seq[AttributeReference]): LogicalPlan = Project(
    wanted.map { attribute =>
      val column =
        rows.output.find(column => SQLConf.get.resolver(column.name, attribute.name)) match {
          case None => Literal(null, attribute.dataType)
          case Some(column) if column.dataType == attribute.dataType => column
          case Some(column) => Cast(column, attribute.dataType)
        }
      Alias(column, attribute.name)(exprId = attribute.exprId, qualifier = attribute.qualifier)
    }, rows)
}
