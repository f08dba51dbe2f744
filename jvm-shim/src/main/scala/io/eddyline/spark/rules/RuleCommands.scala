package io.eddyline.spark.rules

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.SimpleMode
import org.apache.spark.sql.types._

import io.eddyline.spark.base.RowsCommand

/** Runs SHOW EDDYLINE RULES: one row for each rule, in the order of Spark's phases. */
case object ShowRulesCommand extends RowsCommand {

  /** The columns; the last three are about the last query of the session. */
  override protected val columns: StructType = StructType.fromDDL(
    """name STRING NOT NULL, phase STRING NOT NULL, clause STRING NOT NULL,
      |description STRING NOT NULL, optional BOOLEAN NOT NULL, reason STRING,
      |enabled BOOLEAN NOT NULL, applied BIGINT NOT NULL, changed BIGINT NOT NULL,
      |time_ms DOUBLE NOT NULL""".stripMargin)

  override protected def rows(session: SparkSession): Seq[Row] = {
    val log = RuleLog.of(session)
    EddylineRules.ALL.map { rule =>
      val done = log.summary(rule)
      Row(rule.name, rule.phase, rule.clause, rule.description, rule.isOptional,
        rule.needed.orNull, !rule.isExcluded(conf), done.fold(0L)(_.numInvocations),
        done.fold(0L)(_.numEffectiveInvocations), done.fold(0L)(_.totalTimeNs) / 1e6)
    }
  }
}

/**
 * Runs EXPLAIN EDDYLINE query: plans the query in a copy of the session, without running it, and
 * returns one row for each change that a rule of eddyline makes, in their order.
 */
case class ExplainRulesCommand(query: LogicalPlan) extends RowsCommand {
  override protected def columns: StructType = ExplainRulesCommand.SCHEMA

  override protected def rows(session: SparkSession): Seq[Row] =
    ExplainRulesCommand.rows(query, session)
}

object ExplainRulesCommand {
  private val SCHEMA = StructType.fromDDL(
    """step INT NOT NULL, phase STRING NOT NULL, rule STRING NOT NULL, clause STRING NOT NULL,
      |before STRING NOT NULL, after STRING NOT NULL, diff STRING NOT NULL""".stripMargin)

  /** Returns these rows for the plan of a DataFrame as it was made. */
  def trace(frame: Dataset[Row]): DataFrame = {
    val session = frame.sparkSession
    session.createDataFrame(rows(frame.queryExecution.logical, session).asJava, SCHEMA)
  }

  private def rows(query: LogicalPlan, session: SparkSession): Seq[Row] = {
    val own = SessionInternals.copyOf(session)
    val steps = RuleLog.of(own).trace {
      // as EXPLAIN does, which also plans streams
      SessionInternals.frame(own, query).queryExecution.explainString(SimpleMode)
    }
    steps.zipWithIndex.map { case (step, i) =>
      val rule = step.rule
      Row(i + 1, rule.phase, rule.name, rule.clause, step.before, step.after, step.diff)
    }
  }
}
