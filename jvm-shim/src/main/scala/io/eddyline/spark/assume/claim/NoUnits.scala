package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A relation that is never read by units, so that no claim about it can be used. */
trait NoUnits { this: LogicalPlan =>

  /** The name of the relation, as EXPLAIN shows it. */
  def relationName: String

  /** Why it has no units, as a sentence without a full stop. */
  def whyNoUnits: String
}
