package io.eddyline.spark.base

import scala.collection.mutable

import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan, View, WithCTE}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec
import org.apache.spark.sql.execution.streaming.RealTimeTrigger
import org.apache.spark.sql.streaming.Trigger

/** An operator that returns the rows of each input row before it asks for the next input row. */
trait RowAtATimeOperator { self: SparkPlan => }

/** Real-time mode: a micro-batch lasts for minutes, and each row is processed as it comes. */
object RealTime {

  /** Whether a streaming query with this trigger runs in real-time mode. */
  def isTrigger(trigger: Trigger): Boolean = trigger.isInstanceOf[RealTimeTrigger]

  /** Whether a plan reads a stream in real-time mode. */
  def readsStream(plan: SparkPlan): Boolean = plan.exists(isSource)

  /** Whether an operator reads a stream in real-time mode. */
  def isSource(operator: SparkPlan): Boolean = operator.isInstanceOf[RealTimeStreamScanExec]
}

/**
 * Checks that a query in real-time mode uses each of its streams once. `STREAM t`, written twice,
 * is two streams. A DataFrame, a view of one or a name of WITH is one, however often it is used.
 *
 * Spark scans a stream once for each use, but a micro-batch can have only one end offset of a
 * stream. So Spark fails at the start or, if WITH names the stream, after the first micro-batch.
 */
private[spark] object RealTimeStreams {

  /** Checks an analyzed query. Error at a second use: EDDYLINE_STREAMING_QUERY.REAL_TIME_STREAM. */
  def requireDistinct(query: LogicalPlan): Unit = {
    val streams = mutable.Set.empty[LogicalPlan]
    // `defined` has the queries that WITH names, by their ids; `place` is the position of the view
    // or the name by which the query uses the plan, None if it is used directly
    def visit(plan: LogicalPlan, defined: Map[Long, LogicalPlan], place: Option[Origin]): Unit =
      plan match {
        case _ if !plan.isStreaming =>
        case WithCTE(body, queries) =>
          visit(body, defined ++ queries.map(query => query.id -> query.child), place)
        case name: CTERelationRef =>
          defined.get(name.cteId).foreach(visit(_, defined, place.orElse(Some(name.origin))))
        case view: View => visit(view.child, defined, place.orElse(Some(view.origin)))
        case _ if plan.children.nonEmpty => plan.children.foreach(visit(_, defined, place))
        case stream if !streams.add(stream) =>
          EddylineErrors.fail(
            "EDDYLINE_STREAMING_QUERY.REAL_TIME_STREAM", place.getOrElse(stream.origin))
        case _ =>
      }
    visit(query, Map.empty, None)
  }
}
