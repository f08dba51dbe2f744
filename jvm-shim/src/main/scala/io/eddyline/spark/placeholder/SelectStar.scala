package io.eddyline.spark.placeholder

import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

/** What lies below the one `SELECT *` that the lowering writes over a relation or a placeholder. */
object SelectStar {
  def unapply(project: Project): Option[LogicalPlan] = project match {
    case Project(Seq(UnresolvedStar(None)), child) => Some(child)
    case _ => None
  }
}
