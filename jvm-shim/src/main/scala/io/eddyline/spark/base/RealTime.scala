package io.eddyline.spark.base

import scala.collection.mutable

import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan, View, WithCTE}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec
import org.apache.spark.sql.execution.streaming.RealTimeTrigger
import org.apache.spark.sql.streaming.Trigger

/** Real-time mode, in which a micro-batch lasts long and each row is answered when it comes. */
object RealTime {

  /** An operator that answers each row before it asks for the next one. */
  trait Operator { self: SparkPlan => }

  /** Whether a streaming query with this trigger runs in real-time mode. */
  def isTrigger(trigger: Trigger): Boolean = trigger.isInstanceOf[RealTimeTrigger]

  def reads(plan: SparkPlan): Boolean = plan.exists(isSource)

  /** Whether an operator reads a stream in real-time mode. */
  def isSource(operator: SparkPlan): Boolean = operator.isInstanceOf[RealTimeStreamScanExec]
}

/**
 * Checks that a query in real-time mode uses each of its streams once. Two `STREAM t` are two
 * streams; a DataFrame, a view of one, and a name of WITH are one stream wherever they stand.
 *
 * Spark scans a stream for each use, and one micro-batch can have only one end of it. It fails when
 * such a query starts or, if the uses are of a name of WITH, at the end of the first micro-batch.
 */
private[spark] object RealTimeStreams {

  /**
   * Checks an analyzed query.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.REAL_TIME_STREAM, at the second use.
   */
  def requireDistinct(query: LogicalPlan): Unit = new Uses().visit(query, Map.empty, None)

  private class Uses {
    private val streams = mutable.Set.empty[LogicalPlan]

    /**
     * Visits the streams of a plan.
     *
     * @param defined the queries that WITH has named, by their numbers
     * @param place the position of the view or the name by which the query uses the plan
     */
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
  }
}
