package io.eddyline.spark

import org.apache.spark.sql.ExtendedExplainGenerator
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import io.eddyline.spark.assume.claim.Claim
import io.eddyline.spark.assume.report.ClaimReport
import io.eddyline.spark.globaltable.join.GlobalLookupExec

/** Writes the section `Eddyline` of EXPLAIN; set by `spark.sql.extendedExplainProviders`. */
class EddylineExplain extends ExtendedExplainGenerator with AdaptiveSparkPlanHelper {
  override def title: String = "Eddyline"

  override def generateExtendedInfo(plan: SparkPlan): String =
    EddylineVersion.unsupported.getOrElse {
      val lines = (ClaimReport.of(plan).map(sentence) ++ lookups(plan)).distinct
      if (lines.isEmpty) EddylineExplain.NOTHING else lines.mkString("\n")
    }

  private def lookups(plan: SparkPlan): Seq[String] = collectWithSubqueries(plan) {
    case lookup: GlobalLookupExec => s"GLOBAL TABLE ${lookup.description}"
  }

  private def sentence(claim: Claim): String = {
    val units = claim.units.fold("")(n => s", $n units")
    s"ASSUME PARTITIONED BY (${claim.keys})${claim.layout.sql} on ${claim.relation}, " +
      s"${claim.proof}$units: " + claim.uses.mkString("; ")
  }
}

private object EddylineExplain {

  /** Spark writes the heading of the section for every plan. */
  private val NOTHING = "No claim and no global table."
}
