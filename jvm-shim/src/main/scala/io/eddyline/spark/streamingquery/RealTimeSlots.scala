package io.eddyline.spark.streamingquery

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.GlobalRelation
import io.eddyline.spark.globaltable.topic.TopicRelation
import io.eddyline.spark.kafka.{TopicPartitions, TopicOffsetReader, TopicTable}
import io.eddyline.spark.streamingquery.validation.{Checkpoint, MicroBatchPlanner, SourceShape}

/**
 * Counts the tasks of a query in real-time mode. They all run at once, for as long as a micro-batch
 * lasts: one for each partition of its topics and one for each partition of a shuffle. A global
 * table that is refreshed meanwhile needs a slot for the tasks of its refresh, too, unless it is
 * over a topic, which the driver reads.
 *
 * Spark counts the free slots when a micro-batch begins, but only if the query has a shuffle. Else
 * nothing fails, and the records of some partitions are not processed.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.REAL_TIME_SLOTS, REAL_TIME_TOPICS.
 *
 * @param session the session of the query
 * @param checkpoint the checkpoint of the query, which keeps the number of partitions of a shuffle
 */
private[streamingquery] class RealTimeSlots(
    definition: StreamingQueryDefinition, session: SparkSession, checkpoint: Checkpoint) {

  /**
   * Checks that the application can run all tasks of an analyzed query at once, unless it allocates
   * executors dynamically. Asks the brokers of the topics.
   *
   * @param place position of the name in the statement that starts the query
   */
  def require(query: LogicalPlan, place: Origin): Unit =
    SessionInternals.slots(session.sparkContext).foreach { slots =>
      val planned = new MicroBatchPlanner(session, checkpoint).plan(query)
      val tasks = streams(planned).flatMap(ofStream(_, place)) ++ ofShuffles(planned) ++
        ofRefreshes(query)
      val needed = tasks.map(_.number).sum
      if (needed > slots) {
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.REAL_TIME_SLOTS", place,
          "tasks" -> tasks.map(_.text).mkString(" + "),
          "needed" -> needed.toString,
          "slots" -> slots.toString)
      }
    }

  private def ofStream(stream: LogicalPlan, place: Origin): Seq[Tasks] = {
    val name = SourceShape.of(stream).fold(stream.nodeName)(_.name)
    stream match {
      case topics: StreamingRelationV2 if TopicTable.isStream(topics) =>
        try session.withActive(ofTopics(topics))
        catch {
          case NonFatal(e) =>
            val reason = EddylineErrors.rootMessage(e)
            throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.REAL_TIME_TOPICS",
              Map("source" -> redact(name), "reason" -> redact(reason)), place, Some(e))
        }
      case _ => Seq(Tasks(1, name)) // at least; Spark refuses it in the first micro-batch
    }
  }

  private def redact(text: String): String = definition.redact(session.sessionState.conf, text)

  private def ofTopics(topics: StreamingRelationV2): Seq[Tasks] = {
    val table = topics.table.asInstanceOf[SupportsRead]
    val stream = TopicOffsetReader.of(table, topics.extraOptions, definition.name)
    try {
      stream.end.toSeq.flatMap(TopicPartitions.of(_).toSeq.sortBy(_._1)).map {
        case (topic, partitions) => Tasks(partitions.size, s"topic $topic")
      }
    } finally stream.close()
  }

  private def ofShuffles(planned: SparkPlan): Seq[Tasks] = planned.collect {
    case shuffle: ShuffleExchangeLike if streams(shuffle).nonEmpty =>
      Tasks(shuffle.outputPartitioning.numPartitions, "shuffle")
  }

  private def ofRefreshes(query: LogicalPlan): Option[Tasks] = {
    val refreshed = refreshedByJobs(query).distinct
    Option.when(refreshed.nonEmpty)(Tasks(1, s"refresh of ${refreshed.mkString(", ")}"))
  }

  /**
   * The global tables whose refreshes run jobs.
   *
   * @param isBelowBatchNode whether a node above, but for a projection or filter, reads no stream
   */
  private def refreshedByJobs(plan: LogicalPlan, isBelowBatchNode: Boolean = false): Seq[String] =
    plan match {
      case GlobalRelation(table) =>
        val isOnDriver = TopicRelation.of(table.plan).isDefined && !isBelowBatchNode
        Option.when(table.options.refresh.isDefined && !isOnDriver)(table.id.shortName).toSeq
      case operator =>
        val isBatchNode = operator match {
          case _: Project | _: Filter | _: SubqueryAlias | _: View => false
          case other => !other.isStreaming
        }
        (operator.children ++ operator.subqueries)
          .flatMap(refreshedByJobs(_, isBelowBatchNode || isBatchNode))
    }

  /** The streams that an operator reads, each as often as it is read. */
  private def streams(planned: SparkPlan): Seq[LogicalPlan] =
    planned.collectLeaves().flatMap(_.logicalLink).collect {
      case stream: LeafNode if stream.isStreaming => stream
    }
}

/** A number of tasks, and what they process. */
private case class Tasks(number: Int, work: String) {
  def text: String = s"$number ($work)"
}
