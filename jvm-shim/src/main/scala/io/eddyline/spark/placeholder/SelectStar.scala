package io.eddyline.spark.placeholder

import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

/** Matches the `SELECT *` that the lowering writes, and extracts the relation below it. */
object SelectStar {
  def unapply(project: Project): Option[LogicalPlan] = project match {
    case Project(Seq(UnresolvedStar(None)), child) => Some(child)
    case _ => None
  }
}
