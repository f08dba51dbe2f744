package io.eddyline.spark.assume.claim

/**
 * A claim in a plan with its outcomes, as EXPLAIN CLAUSES lists it.
 *
 * @param keys the claimed keys, as text
 * @param relation the table or path that the claim is about, or the operator at which it ends
 * @param proof the name of a [[Proof]], or `none` if the claim was dropped
 * @param units the number of units; None if the claim was dropped or is about shuffled rows
 * @param uses the outcome at each operator that the claim concerns
 * @param verdict the result of the check, as text; None if no check has run
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

  /** Whether a check found the claim false or unproven, so that its rows were shuffled. */
  def isRefuted: Boolean = verdict.exists(_ != Claim.HOLDS)
}

object Claim {

  /** The verdict if a check has confirmed a claim. */
  val HOLDS = "holds"
}

/**
 * The outcome of a claim at one operator of a plan.
 *
 * @param outcome USED, NOT_USED, NOT_NEEDED or DROPPED
 * @param exchange the keys of the Exchange that the operator would need without the claim, or still
 *                 needs; None if no Exchange is concerned
 * @param exchangeAvoided whether the claim saves that Exchange; None if no Exchange is concerned
 */
sealed abstract class ClaimUse(
    val outcome: String,
    val exchange: Option[String] = None,
    val exchangeAvoided: Option[Boolean] = None,
    val operator: Option[String] = None,
    val reason: Option[String] = None) {

  override def toString: String = {
    val change = exchange.zip(exchangeAvoided).map {
      case (keys, true) => s", avoids Exchange($keys)"
      case (keys, false) => s", keeps Exchange($keys)"
    }
    outcome + change.mkString + operator.fold("")(name => s" for $name") +
      reason.fold("")(why => s": $why")
  }
}

object ClaimUse {

  /**
   * The operator needs rows with equal keys together and gets them without an Exchange.
   *
   * @param childId the id of the operator's child: all claims with one child save one Exchange
   */
  case class Used(keys: String, consumer: String)(val childId: Int)
    extends ClaimUse("USED", Some(keys), Some(true), Some(consumer))

  /** An Exchange stands between the units and the operator. */
  case class NotUsed(keys: String, consumer: String, why: String)
    extends ClaimUse("NOT_USED", Some(keys), Some(false), Some(consumer), Some(why))

  /** No operator above the claim needs rows with equal keys together. */
  case object NotNeeded
    extends ClaimUse("NOT_NEEDED", reason = Some("no operator above needs rows of a key together"))

  /** The relation has no usable units, so the claim was dropped from the plan. */
  case class Dropped(why: String) extends ClaimUse("DROPPED", reason = Some(why))
}
