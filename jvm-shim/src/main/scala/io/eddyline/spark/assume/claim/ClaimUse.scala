package io.eddyline.spark.assume.claim

/** The outcome of a claim at one operator of a plan. */
sealed trait ClaimUse {

  /** USED, NOT_USED, NOT_NEEDED or DROPPED. */
  def outcome: String

  /**
   * The keys of the Exchange that the operator would need without the claim, or still needs. None
   * if no Exchange is concerned.
   */
  def exchange: Option[String] = None

  /** Whether the claim saves that Exchange; None if no Exchange is concerned. */
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

  /**
   * The operator needs rows with equal keys together and got them without an Exchange.
   *
   * @param below the id of the operator's child: claims that have it in common save one Exchange
   */
  case class Used(keys: String, consumer: String)(val below: Int) extends ClaimUse {
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

  /** No operator above the claim needs rows with equal keys together. */
  case object NotNeeded extends ClaimUse {
    override def outcome: String = "NOT_NEEDED"
    override def reason: Option[String] = Some("no operator above needs rows of a key together")
  }

  /** The relation has no usable units, so the claim was dropped from the plan. */
  case class Dropped(why: String) extends ClaimUse {
    override def outcome: String = "DROPPED"
    override def reason: Option[String] = Some(why)
  }
}
