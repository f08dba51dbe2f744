package io.eddyline.spark.kafka

import java.util.Locale

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.QualifiedNames
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A table `USING kafka` of the session catalog: the topics that it reads, and their broker. */
private[spark] class TopicTable(val table: CatalogTable) {

  /** The name of the table, in parts. */
  def name: Seq[String] = table.identifier.nameParts

  /**
   * The options of a reader.
   *
   * @param extraOptions options that replace those of the table
   */
  def readerOptions(extraOptions: CaseInsensitiveStringMap): Map[String, String] =
    // without the folder that Spark's catalog gives to each table
    DataSourceUtils.generateDatasourceOptions(extraOptions, table) - "path"

  /**
   * The options of a writer: those of the client, and the topic. The option `topic` of the table
   * replaces the column of that name, as always in Spark.
   *
   * @param hasTopic whether the rows have a column `topic`
   */
  def writerOptions(hasTopic: Boolean): Map[String, String] = {
    val client = options.filter(_._1.toLowerCase(Locale.ROOT).startsWith("kafka."))
    client ++ topic(hasTopic).map("topic" -> _)
  }

  /** The topic of rows: the option `topic`, else, if they name none, the only one that is read. */
  def topic(hasTopic: Boolean): Option[String] = option("topic").orElse {
    option("subscribe").map(_.trim).filterNot(hasTopic || _.contains(","))
  }

  private def option(name: String): Option[String] =
    options.collectFirst { case (key, value) if key.equalsIgnoreCase(name) => value }

  private def options: Map[String, String] = table.storage.properties
}

private[spark] object TopicTable {
  val FORMAT = "kafka"

  /** Whether a relation of an analyzed plan is a stream of Spark's Kafka source. */
  def isStream(relation: LogicalPlan): Boolean = relation match {
    case stream: StreamingRelationV2 => stream.sourceName.equalsIgnoreCase(FORMAT)
    case _ => false
  }

  /** Returns the table of this name; None if it is not USING kafka, or is a temporary view. */
  def find(session: SparkSession, name: Seq[String]): Option[TopicTable] =
    if (session.sessionState.catalog.isTempView(name)) None
    else {
      QualifiedNames.sessionMetadata(session, QualifiedNames.inView(session, name))
        .filter(_.provider.exists(_.equalsIgnoreCase(FORMAT)))
        .map(new TopicTable(_))
    }
}
