package io.eddyline.spark.report

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.{EddylineErrors, RowsCommand}
import io.eddyline.spark.streamingquery.StreamingQueries

/** Runs EXPLAIN CLAUSES statement: plans it without running it, and returns its findings. */
case class ExplainClausesCommand(statement: LogicalPlan) extends RowsCommand {
  override protected def columns: StructType = FindingRows.SCHEMA

  override protected def rows(session: SparkSession): Seq[Row] =
    FindingRows.of(QueryReport.ofPlanned(statement, session))
}

/** Runs EXPLAIN CLAUSES STREAMING QUERY: returns the findings of its last micro-batch. */
case class ExplainStreamingClausesCommand(name: String, place: Origin) extends RowsCommand {
  override protected def columns: StructType = FindingRows.SCHEMA

  override protected def rows(session: SparkSession): Seq[Row] = {
    val found = NamedQuery.of(name, place, session)
    FindingRows.of(found.lastRun.toSeq.flatMap(QueryReport.of), found.redact)
  }
}

/**
 * A streaming query that SQL started, or that a session runs.
 *
 * @param lastRun its last run; None if it has never run
 * @param redact removes its secrets from a text
 */
private[spark] case class NamedQuery(lastRun: Option[StreamingQuery], redact: String => String)

private[spark] object NamedQuery {

  /**
   * Returns the query that SQL started under this name, or else one of this session by name or id.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.NOT_FOUND.
   */
  def of(name: String, place: Origin, session: SparkSession): NamedQuery = {
    val started = StreamingQueries.of(session).find(name, place)
    val running = session.streams.active.find(query =>
      query.name == name || query.id.toString == name)
    (started, running) match {
      case (Some(query), _) => NamedQuery(query.lastRun, query.redact)
      case (_, Some(query)) => NamedQuery(Some(query), identity)
      case _ =>
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.NOT_FOUND", place, "name" -> name)
    }
  }
}
