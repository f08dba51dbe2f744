package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.eddyline.spark.base.EddylineErrors

/**
 * Refuses a [[CoGroupUnion]] without an Aggregate above it, which [[RewriteCoGroup]] cannot remove.
 *
 * Error: EDDYLINE_COGROUP.NO_AGGREGATE.
 */
object CheckCoGroup extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case union: CoGroupUnion =>
      EddylineErrors.fail("EDDYLINE_COGROUP.NO_AGGREGATE", union.origin)
    case _ =>
  }
}
