package io.eddyline.spark.streamingquery

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.QualifiedNames
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** The table into which a query writes, as its catalog has it at each moment. */
private[streamingquery] class TargetTable(session: SparkSession, name: Seq[String]) {

  /** Its columns, of which those of CHAR and VARCHAR know their length; empty if it is missing. */
  def columns: Seq[Attribute] = relation.toSeq.flatMap(_.output)

  /**
   * What tells it from a table that has its name later: when it was created, or the id that its
   * catalog gives it; None if there is no such thing.
   */
  def identity: Option[String] =
    QualifiedNames.sessionMetadata(session, name).map(_.createTime.toString)
      .orElse(relation.flatMap(relation => Option(relation.table.id)))

  private def relation: Option[DataSourceV2Relation] =
    QualifiedNames.inCatalog(session, QualifiedNames.table(session, name)).flatMap {
      case (catalog, table) =>
        try {
          val loaded = catalog.loadTable(table)
          Some(DataSourceV2Relation.create(loaded, Some(catalog), Some(table)))
        } catch { case _: AnalysisException => None } // there is none of this name
    }
}
