package io.eddyline.spark.streamingquery

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.connector.catalog.{Table, TableCatalog}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelationWithTable}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, FileTable}
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation

import io.eddyline.spark.streamingquery.validation.SourceShape

/**
 * A folder in which a table that a query reads or writes has its files.
 *
 * @param table the name of the table for users
 * @param path its qualified path, which may have wildcards
 */
private[streamingquery] case class TableFolder(table: String, path: Path)

private[streamingquery] object TableFolder {

  /**
   * The folders of the tables of an analyzed plan, which has a global table as its source. Their
   * file systems are not asked: a catalog may name one that only the catalog can use.
   */
  def in(plan: LogicalPlan, conf: Configuration): Seq[TableFolder] = {
    val fileSystem = FileSystem.get(conf)
    plan.collectWithSubqueries {
      case leaf if leaf.children.isEmpty =>
        paths(leaf).map { path =>
          TableFolder(SourceShape.of(leaf).fold(SourceShape.name(leaf))(_.name),
            path.makeQualified(fileSystem.getUri, fileSystem.getWorkingDirectory))
        }
    }.flatten.distinct
  }

  private def paths(leaf: LogicalPlan): Seq[Path] = leaf match {
    case stream: StreamingRelation =>
      val source = stream.dataSource
      val table = source.catalogTable.flatMap(_.storage.locationUri).map(new Path(_))
      val given = source.paths ++ source.options.find(_._1.equalsIgnoreCase("path")).map(_._2)
      if (table.isEmpty) given.map(new Path(_)) else table.toSeq
    case stream: StreamingRelationV2 => paths(stream.table)
    case LogicalRelationWithTable(relation: HadoopFsRelation, _) => relation.location.rootPaths
    case hive: HiveTableRelation => hive.tableMeta.storage.locationUri.map(new Path(_)).toSeq
    case relation: DataSourceV2Relation => paths(relation.table)
    case _ => Nil
  }

  private def paths(table: Table): Seq[Path] = table match {
    case table: FileTable => table.fileIndex.rootPaths
    case other => Option(other.properties.get(TableCatalog.PROP_LOCATION)).map(new Path(_)).toSeq
  }
}
