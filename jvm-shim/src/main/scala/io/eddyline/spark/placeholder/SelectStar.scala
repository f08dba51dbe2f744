package io.eddyline.spark.placeholder

import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

/** Matches the `SELECT *` that the lowering writes, and extracts the relation below it. */
object SelectStar {

  /** The relation below it, or the plan itself if there is none. */
  def below(plan: LogicalPlan): LogicalPlan = plan match {
    case SelectStar(relation) => relation
    case other => other
  }

  def unapply(project: Project): Option[LogicalPlan] = project match {
    case Project(Seq(UnresolvedStar(None)), child) => Some(child)
    case _ => None
  }
}
