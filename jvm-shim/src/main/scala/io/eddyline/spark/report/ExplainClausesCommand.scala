package io.eddyline.spark.report

import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.streaming.StreamingQuery

/**
 * Runs EXPLAIN CLAUSES query: plans the query without running it, and returns one row for each
 * finding of its plan.
 */
case class ExplainClausesCommand(query: LogicalPlan) extends LeafRunnableCommand {
  override lazy val output: Seq[Attribute] = toAttributes(FindingRows.SCHEMA)

  override def run(session: sql.SparkSession): Seq[Row] = session match {
    case classic: SparkSession => FindingRows.of(QueryReport.ofPlanned(query, classic))
  }
}

/**
 * Runs EXPLAIN CLAUSES STREAMING QUERY name: the findings of the last micro-batch of a query that
 * SQL started, or else of one that this session runs and that has this name or id.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.NOT_FOUND.
 */
case class ExplainStreamingClausesCommand(name: String, place: Origin) extends LeafRunnableCommand {
  override lazy val output: Seq[Attribute] = toAttributes(FindingRows.SCHEMA)

  override def run(session: sql.SparkSession): Seq[Row] = {
    val found = FoundQuery.of(name, place, session)
    FindingRows.of(found.lastRun.toSeq.flatMap(QueryReport.of), found.shown)
  }
}

/** The rows of EXPLAIN CLAUSES for objects of a program. Python calls it. */
object ExplainClausesCommand {

  /** Returns the rows for a DataFrame, from the executed plan if it has run. */
  def why(frame: Dataset[Row]): DataFrame = {
    val findings =
      if (frame.isStreaming) QueryReport.ofPlanned(frame.queryExecution.logical, frame.sparkSession)
      else PlanReport.of(frame.queryExecution.executedPlan)
    FindingRows.frame(findings, frame.sparkSession)
  }

  /** Returns the rows for a streaming query of a program. */
  def why(query: StreamingQuery, session: SparkSession): DataFrame =
    FindingRows.frame(QueryReport.of(query), session)
}

/**
 * The plans of queries as data for pictures: a JSON array of [[PlanNode]]s, the root first; empty
 * if a streaming query has not planned a micro-batch yet. With `stock` it is the plan that Spark
 * makes of the query without its claims and EMIT; it is not run. Python calls it.
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
