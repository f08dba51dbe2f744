package io.eddyline.spark

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.sql.streaming.StreamingQuery

import io.eddyline.spark.parser.sidecar.Sidecar
import io.eddyline.spark.report._

/**
 * All that Python calls in the JVM; `python/eddyline/jvm.py` calls nothing else of eddyline.
 *
 * The plans of queries are a JSON array of [[report.PlanNode]]s, the root first; empty if a
 * streaming query has not planned a micro-batch yet. With `stock` it is the plan that Spark makes
 * of the query without its claims and EMIT; it is not run.
 */
object PythonApi {

  /** Returns the process id of the sidecar, or -1 if none runs. */
  def sidecarPid: Long = Sidecar.pid

  /** Stops the sidecar; the next statement with a clause starts another. */
  def stopSidecar(): Unit = Sidecar.stop()

  /** Returns the rows of EXPLAIN CLAUSES for a DataFrame, from the executed plan if it has run. */
  def why(frame: Dataset[Row]): DataFrame = {
    val findings =
      if (frame.isStreaming) QueryReport.ofPlanned(frame.queryExecution.logical, frame.sparkSession)
      else PlanReport.of(frame.queryExecution.executedPlan)
    FindingRows.frame(findings, frame.sparkSession)
  }

  /** Returns the rows of EXPLAIN CLAUSES for a streaming query of a program. */
  def why(query: StreamingQuery, session: SparkSession): DataFrame =
    FindingRows.frame(QueryReport.of(query), session)

  /** Returns the plan of a DataFrame, the executed one if it has run. */
  def plan(frame: Dataset[Row], stock: Boolean): String = {
    val execution = frame.queryExecution
    val session = frame.sparkSession
    val plan =
      if (stock) QueryReport.stockPlan(execution.analyzed, session)
      else if (frame.isStreaming) QueryReport.lenientPlan(execution.logical, session)
      else execution.executedPlan
    PlanNode.json(new PlanTree(plan).nodes)
  }

  /** Returns the plan of a streaming query's last micro-batch. */
  def plan(query: StreamingQuery, stock: Boolean): String = PlanNode.json(nodes(query, stock))

  /**
   * Returns the plan of the last micro-batch of a query by its name, without its secrets.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.NOT_FOUND.
   */
  def plan(name: String, session: SparkSession, stock: Boolean): String = {
    val found = NamedQuery.of(name, new Origin, session)
    val all = found.lastRun.toSeq.flatMap(nodes(_, stock))
    PlanNode.json(all.map(node => node.copy(text = found.redact(node.text))))
  }

  private def nodes(query: StreamingQuery, stock: Boolean): Seq[PlanNode] =
    MicroBatch.lastExecution(query).toSeq.flatMap { last =>
      val plan =
        if (stock) QueryReport.stockPlan(last.analyzed, last.sparkSession) else last.executedPlan
      new PlanTree(plan).nodes
    }
}
