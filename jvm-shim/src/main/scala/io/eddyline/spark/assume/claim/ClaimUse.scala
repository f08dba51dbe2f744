package io.eddyline.spark.assume.claim

/** What became of a claim at one operator of a plan. */
sealed trait ClaimUse {
  /** USED, NOT_USED, NOT_NEEDED or DROPPED. */
  def outcome: String

  /** The keys of the Exchange that the operator would need without the claim, or still needs. */
  def exchange: Option[String] = None

  /** Whether the claim has saved that Exchange. */
  def exchangeAvoided: Option[Boolean] = None

  def operator: Option[String] = None

  def reason: Option[String] = None

  override def toString: String = {
    val fate = exchange.zip(exchangeAvoided).map {
      case (keys, true) => s", avoids Exchange($keys)"
      case (keys, false) => s", keeps Exchange($keys)"
    }
    outcome + fate.mkString + operator.fold("")(name => s" for $name") +
      reason.fold("")(why => s": $why")
  }
}

object ClaimUse {
  /** The operator needs the keys together and got no Exchange. */
  case class Used(keys: String, consumer: String) extends ClaimUse {
    override def outcome: String = "USED"
    override def exchange: Option[String] = Some(keys)
    override def exchangeAvoided: Option[Boolean] = Some(true)
    override def operator: Option[String] = Some(consumer)
  }

  /** An Exchange stands between the units and the operator. */
  case class NotUsed(keys: String, consumer: String, why: String) extends ClaimUse {
    override def outcome: String = "NOT_USED"
    override def exchange: Option[String] = Some(keys)
    override def exchangeAvoided: Option[Boolean] = Some(false)
    override def operator: Option[String] = Some(consumer)
    override def reason: Option[String] = Some(why)
  }

  /** No operator needs rows together. */
  case object NotNeeded extends ClaimUse {
    override def outcome: String = "NOT_NEEDED"
    override def reason: Option[String] = Some("no operator above needs rows of a key together")
  }

  /** Nothing can be named that holds all rows of a key. */
  case class Dropped(why: String) extends ClaimUse {
    override def outcome: String = "DROPPED"
    override def reason: Option[String] = Some(why)
  }
}

/**
 * A claim of a plan and what became of it.
 *
 * @param keys as claimed
 * @param layout how it says that the units are numbered
 * @param relation the table or path it speaks of, or the operator it ends at
 * @param proof how it is known to be true: structural, witness, checked, sampled, trusted or none
 * @param units how many there are
 * @param verdict of the check, once it has run
 */
case class Claim(
    keys: String,
    layout: Layout,
    relation: String,
    proof: String,
    units: Option[Int],
    uses: Seq[ClaimUse],
    verdict: Option[String] = None)
