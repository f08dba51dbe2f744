package io.eddyline.spark.globaltable.topic

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{Row, SQLContext}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.LogicalRelationWithTable
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.TopicFormat

/**
 * The data source of a global table over a topic in the catalog. Spark's own Kafka source takes no
 * columns, so that a table with columns cannot have it.
 */
class TopicProvider extends SchemaRelationProvider with DataSourceRegister {
  override def shortName(): String = TopicFormat.STORED

  override def createRelation(
      context: SQLContext,
      parameters: Map[String, String],
      schema: StructType): BaseRelation = TopicRelation(parameters, schema)(context)
}

/**
 * A topic as a table, which a global table follows. A session without the extensions cannot read
 * it: the rows are in no single place.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.EXTENSIONS_MISSING.
 *
 * @param options the options of the table
 */
private[spark] case class TopicRelation(options: Map[String, String], schema: StructType)(
    override val sqlContext: SQLContext)
  extends BaseRelation with TableScan {
  override def buildScan(): RDD[Row] = {
    EddylineErrors.register()
    throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.EXTENSIONS_MISSING", Map.empty)
  }
}

private[spark] object TopicRelation {

  /** Returns the topic that a plan reads as a table; None: it reads something else. */
  def of(plan: LogicalPlan): Option[TopicRelation] = plan match {
    case LogicalRelationWithTable(topic: TopicRelation, _) => Some(topic)
    case _ => None
  }
}
