package io.eddyline.spark.report

import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
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
