package io.eddyline.spark.kafka

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.AliasIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_RELATION
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals

/**
 * Makes `STREAM t` of a table `USING kafka` the stream of its topics.
 *
 * Spark itself refuses it: it passes the columns of the catalog to the source, and Kafka's takes
 * none ("Kafka source has a fixed schema and cannot be set with a custom one"). The rule runs in
 * the batch Hints, before Spark looks up tables; a Spark that reads such tables needs it no more.
 */
private[spark] case class ResolveTopicStream(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_RELATION)) {
    case relation: UnresolvedRelation if relation.isStreaming =>
      TopicTable.find(session, relation.multipartIdentifier).fold[LogicalPlan](relation) { topic =>
        val reader = session.readStream.format(TopicTable.FORMAT)
          .options(topic.readerOptions(relation.options).asJava)
        val alias = AliasIdentifier(topic.name.last, topic.name.init)
        SubqueryAlias(alias, SessionInternals.plan(reader.load()))
      }
  }
}
