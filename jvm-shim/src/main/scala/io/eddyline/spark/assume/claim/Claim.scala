package io.eddyline.spark.assume.claim

/**
 * A claim of a plan with its outcomes, as EXPLAIN CLAUSES lists it.
 *
 * @param keys the claimed keys, as text
 * @param layout how the claim says that the units are numbered
 * @param relation the table or path that the claim is about, or the operator where it ended
 * @param proof how it is known to be true: structural, witness, checked, trusted or none
 * @param units the number of units; None if the claim was dropped or is about shuffled rows
 * @param uses the outcome at each operator that the claim concerns
 * @param verdict the result of the check, as text; None before it has run or if there is none
 * @param checkTime how long the check took, in ms
 */
case class Claim(
    keys: String,
    layout: Layout,
    relation: String,
    proof: String,
    units: Option[Int],
    uses: Seq[ClaimUse],
    verdict: Option[String] = None,
    checkTime: Option[Long] = None) {

  /** Whether a check could not confirm it, so that its rows were shuffled. */
  def isRefuted: Boolean = verdict.exists(_ != Claim.HOLDS)
}

object Claim {

  /** The verdict of a check that has confirmed a claim. */
  val HOLDS = "holds"
}
