package io.eddyline.spark

import org.apache.spark.sql.ExtendedExplainGenerator
import org.apache.spark.sql.execution.SparkPlan

import io.eddyline.spark.assume.{Claim, ReportAssumptions}

/** The section `Eddyline` of EXPLAIN, by `spark.sql.extendedExplainProviders`. */
class EddylineExplain extends ExtendedExplainGenerator {
  override def title: String = "Eddyline"

  override def generateExtendedInfo(plan: SparkPlan): String =
    ReportAssumptions.claims(plan).map(sentence).mkString("\n")

  private def sentence(claim: Claim): String = {
    val units = claim.units.fold("")(n => s", $n units")
    s"ASSUME PARTITIONED BY (${claim.keys}) on ${claim.relation}, ${claim.proof}$units: " +
      claim.uses.mkString("; ")
  }
}
