package io.eddyline.spark.report

import java.util.UUID

import org.apache.spark.sql.catalyst.analysis.LeafNodeWithoutStats
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.{CommandExecutionMode, SparkPlan}
import org.apache.spark.sql.execution.streaming.checkpointing.OffsetSeqMetadata
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.sql.execution.streaming.runtime._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryProgress}

import io.eddyline.spark.assume.claim.AssumePartitionedBy
import io.eddyline.spark.base.EddylineConf
import io.eddyline.spark.emit.aggregate.EmitMetrics
import io.eddyline.spark.emit.clause.Emit
import io.eddyline.spark.globaltable.join.{GlobalTableProgressExec, PlanPurpose}
import io.eddyline.spark.rules.EddylineRules
import io.eddyline.spark.streamingquery.MicroBatchProgress

/** Finds what became of the clauses of queries that have not run, and of streaming queries. */
private[spark] object QueryReport {

  /** Returns the findings about the plans that would run for a query or a statement. */
  def ofPlanned(statement: LogicalPlan, session: SparkSession): Seq[Finding] = {
    val copy = lenient(session)
    queriesOf(analyzed(statement, copy)).flatMap(query => PlanReport.of(plan(query, copy)))
  }

  /** Returns the plan by which a query would run, in a copy of the session. */
  def lenientPlan(query: LogicalPlan, session: SparkSession): SparkPlan = {
    val copy = lenient(session)
    plan(analyzed(query, copy), copy)
  }

  /** Returns a copy of a session in which a claim that saves nothing is no error. */
  private def lenient(session: SparkSession): SparkSession = {
    val copy = SessionInternals.copyOf(session)
    copy.conf.set(EddylineConf.ASSUME_STRICT.key, false)
    copy
  }

  /**
   * Returns the plan of an analyzed query without its claims, its EMIT and the optional rules. A
   * global table that Spark would broadcast is still looked up: that strategy is not optional.
   */
  def stockPlan(analyzed: LogicalPlan, session: SparkSession): SparkPlan = {
    val stock = SessionInternals.copyOf(session)
    val optional = EddylineRules.ALL.filter(_.isOptional).map(_.name)
    stock.conf.set(EddylineConf.EXCLUDED_RULES.key, optional.mkString(","))
    val bare = analyzed.transformUpWithSubqueries {
      case claim: AssumePartitionedBy => claim.child
      case emit: Emit => emit.child
    }
    plan(bare, stock, Emit.outputMode(analyzed))
  }

  private def analyzed(statement: LogicalPlan, session: SparkSession): LogicalPlan =
    session.sessionState.executePlan(statement, CommandExecutionMode.SKIP).analyzed

  /** Returns the children of a streaming command, the queries in a leaf command, else the whole. */
  private def queriesOf(analyzed: LogicalPlan): Seq[LogicalPlan] = analyzed match {
    case command: Command if command.isStreaming => command.children
    case command: Command if command.children.isEmpty =>
      command.productIterator.collect {
        case query: LogicalPlan if !query.isInstanceOf[LeafNodeWithoutStats] => query
      }.toSeq // a LeafNodeWithoutStats is a name, for instance of a table
    case whole => Seq(whole)
  }

  private def plan(analyzed: LogicalPlan, session: SparkSession): SparkPlan =
    plan(analyzed, session, Emit.outputMode(analyzed))

  /** Returns the physical plan of a query; for a stream that of its first micro-batch. */
  private def plan(query: LogicalPlan, session: SparkSession, mode: OutputMode): SparkPlan =
    PlanPurpose.explaining {
      if (query.isStreaming) {
        session.withActive {
          val id = UUID.randomUUID
          new IncrementalExecution(
            session, query, mode, "<unknown>", id, id, 0, None, OffsetSeqMetadata(0, 0),
            WatermarkPropagator.noop(), false).executedPlan
        }
      } else {
        session.sessionState.executePlan(query, CommandExecutionMode.SKIP).executedPlan
      }
    }

  /** Returns the findings about the plan of a query's last micro-batch, then the micro-batches. */
  def of(query: StreamingQuery): Seq[Finding] =
    MicroBatch.lastExecution(query).map(_.executedPlan).toSeq.flatMap(PlanReport.of) ++
      MicroBatchProgress.of(query).map(microBatch)

  private def microBatch(progress: StreamingQueryProgress): MicroBatchFinding = {
    val operators = progress.stateOperators.toSeq
    MicroBatchFinding(
      progress.batchId,
      progress.numInputRows,
      EmitMetrics.of(progress, EmitMetrics.EMITTED).headOption,
      EmitMetrics.of(progress, EmitMetrics.DROPPED).sum,
      operators.map(_.numRowsTotal).sum,
      operators.map(_.memoryUsedBytes).sum,
      GlobalTableProgressExec.versions(progress).toMap)
  }
}
