package io.eddyline.spark.report

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.streaming.StreamingQuery

/**
 * The plans of queries as data for pictures: a JSON array of [[PlanNode]]s, the root first; empty
 * if a streaming query has not planned a micro-batch yet. With `stock` it is the plan that Spark
 * makes of the query without its claims, EMIT and lookups; it is not run. Python calls it.
 */
object PlanTreeReport {

  /** Returns the plan of a DataFrame, the executed one if it has run. */
  def of(frame: Dataset[Row], stock: Boolean): String = {
    val execution = frame.queryExecution
    val session = frame.sparkSession
    val plan =
      if (stock) QueryReport.stockPlan(execution.analyzed, session)
      else if (frame.isStreaming) QueryReport.lenientPlan(execution.logical, session)
      else execution.executedPlan
    PlanNode.json(new PlanTree(plan).nodes)
  }

  /** Returns the plan of a streaming query's last micro-batch. */
  def of(query: StreamingQuery, stock: Boolean): String = PlanNode.json(nodes(query, stock))

  /**
   * Returns the plan of the last micro-batch of a query by its name, without its secrets.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.NOT_FOUND.
   */
  def of(name: String, session: SparkSession, stock: Boolean): String = {
    val found = FoundQuery.of(name, new Origin, session)
    val all = found.lastRun.toSeq.flatMap(nodes(_, stock))
    PlanNode.json(all.map(node => node.copy(text = found.shown(node.text))))
  }

  private def nodes(query: StreamingQuery, stock: Boolean): Seq[PlanNode] = query match {
    case wrapped: StreamingQueryWrapper =>
      MicroBatch.last(wrapped).toSeq.flatMap { last =>
        val plan =
          if (stock) QueryReport.stockPlan(last.analyzed, last.sparkSession) else last.executedPlan
        new PlanTree(plan).nodes
      }
    case _ => Nil
  }
}
