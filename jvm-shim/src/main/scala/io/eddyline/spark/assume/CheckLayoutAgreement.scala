package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.eddyline.spark.assume.claim.AssumePartitionedBy
import io.eddyline.spark.base.EddylineErrors

/**
 * Refuses claims of one layout that disagree about its units or the number of keys.
 *
 * Errors, at the second such clause: EDDYLINE_ASSUME.LAYOUT_MISMATCH.
 */
object CheckLayoutAgreement extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = {
    val claims = plan.collectWithSubqueries {
      case claim: AssumePartitionedBy if claim.layout.name.isDefined => claim
    }
    for {
      claimsOfLayout <- claims.groupBy(_.layout.id).values
      first = claimsOfLayout.head
      other <- claimsOfLayout.find(text(_) != text(first))
    } EddylineErrors.fail("EDDYLINE_ASSUME.LAYOUT_MISMATCH", other.origin,
      "layout" -> first.layout.name.mkString, "first" -> text(first), "second" -> text(other))
  }

  /** Returns what all claims of a layout must agree about. */
  private def text(claim: AssumePartitionedBy): String = {
    val keys = if (claim.keys.size == 1) "1 key" else s"${claim.keys.size} keys"
    keys + claim.layout.copy(name = None).sql
  }
}
