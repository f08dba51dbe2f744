package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.SQLConfHelper
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation

import io.eddyline.spark.assume.claim.{AssumePartitionedBy, Enforcement}
import io.eddyline.spark.base.{EddylineConf, EddylineErrors}
import io.eddyline.spark.kafka.TopicTable

/**
 * Refuses claims about streams, except those about a topic that can be checked for each record. It
 * runs when a query is analyzed, and again for the plan of each micro-batch.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED.
 */
object CheckStreamClaims extends (LogicalPlan => Unit) with SQLConfHelper {

  override def apply(plan: LogicalPlan): Unit = plan.foreachWithSubqueries {
    case claim: AssumePartitionedBy if claim.isStreaming => check(claim)
    case _ =>
  }

  private def check(claim: AssumePartitionedBy): Unit =
    if (!conf.getConf(EddylineConf.ASSUME_STREAMS)) {
      refuse(claim, s"${EddylineConf.ASSUME_STREAMS.key} is false",
        "Set it to true, or leave ASSUME out.")
    } else if (!claim.layout.hashed) {
      refuse(claim, "nothing in it can be checked for each record",
        "Write INTO n PARTITIONS USING HASH SPARK, or leave ASSUME out.")
    } else if (claim.enforcement == Enforcement.NotEnforced) {
      refuse(claim, "each record is checked, so it cannot be NOT ENFORCED",
        "Leave NOT ENFORCED out.")
    } else {
      reasonNotByTopic(claim.child).foreach(
        refuse(claim, _, "Claim the topic itself, or leave ASSUME out."))
    }

  /** Returns why the rows are not in the partitions of a topic; None if they are. */
  private def reasonNotByTopic(plan: LogicalPlan): Option[String] = plan match {
    case _: Project | _: Filter | _: SubqueryAlias | _: View | _: EventTimeWatermark =>
      reasonNotByTopic(plan.children.head)
    case source if TopicTable.isStream(source) => None
    case _: StreamingDataSourceV2ScanRelation => None // one of the above, in a micro-batch
    case LocalRelation(_, Nil, true, _) => None // a micro-batch without new records of the topic
    case _: LeafNode => Some("Spark's Kafka source does not read it")
    case other => Some(s"${other.nodeName} stands between it and the topic")
  }

  private def refuse(claim: AssumePartitionedBy, reason: String, hint: String): Nothing =
    EddylineErrors.fail("EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED", claim.origin,
      "reason" -> reason, "hint" -> hint)
}
