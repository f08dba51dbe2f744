package io.eddyline.spark

import org.apache.spark.sql.ExtendedExplainGenerator
import org.apache.spark.sql.execution.SparkPlan

import io.eddyline.spark.base.EddylineVersion
import io.eddyline.spark.report.PlanReport

/** Writes the section `Eddyline` of EXPLAIN; set by `spark.sql.extendedExplainProviders`. */
class EddylineExplain extends ExtendedExplainGenerator {
  override def title: String = "Eddyline"

  override def generateExtendedInfo(plan: SparkPlan): String =
    EddylineVersion.unsupported.getOrElse {
      val lines = PlanReport.lines(plan)
      // Spark writes the heading of the section for every plan
      if (lines.isEmpty) "No clause of eddyline." else lines.mkString("\n")
    }
}
