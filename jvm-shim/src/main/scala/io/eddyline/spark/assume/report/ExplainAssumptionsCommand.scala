package io.eddyline.spark.assume.report

import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._

import io.eddyline.spark.assume.claim.Claim
import io.eddyline.spark.base.EddylineConf

/**
 * Runs EXPLAIN ASSUMPTIONS query: plans the query without running it, and returns one row for each
 * outcome of each claim.
 */
case class ExplainAssumptionsCommand(query: LogicalPlan) extends LeafRunnableCommand {
  override lazy val output: Seq[Attribute] = toAttributes(ExplainAssumptionsCommand.SCHEMA)

  /** Plans the query in a copy of the session in which an unused claim is no error. */
  override def run(session: sql.SparkSession): Seq[Row] = session match {
    case classic: SparkSession =>
      val lenient = SessionInternals.copyOf(classic)
      lenient.conf.set(EddylineConf.ASSUME_STRICT.key, false)
      val plan = SessionInternals.frame(lenient, query).queryExecution.executedPlan
      ClaimReport.of(plan).flatMap(ExplainAssumptionsCommand.rows)
  }
}

object ExplainAssumptionsCommand {
  val SCHEMA: StructType = new StructType()
    .add("keys", StringType, nullable = false)
    .add("relation", StringType, nullable = false)
    .add("proof", StringType, nullable = false)
    .add("units", IntegerType)
    .add("outcome", StringType, nullable = false)
    .add("exchange", StringType)
    .add("exchange_avoided", BooleanType)
    .add("operator", StringType)
    .add("reason", StringType)
    .add("verdict", StringType)

  def rows(claim: Claim): Seq[Row] = claim.uses.map { use =>
    Row(claim.keys + claim.layout.sql, claim.relation, claim.proof,
      claim.units.map(Int.box).orNull, use.outcome, use.exchange.orNull,
      use.exchangeAvoided.map(Boolean.box).orNull, use.operator.orNull, use.reason.orNull,
      claim.verdict.orNull)
  }
}
