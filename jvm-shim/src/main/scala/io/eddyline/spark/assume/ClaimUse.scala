package io.eddyline.spark.assume

/** What became of a claim at one operator of a plan. */
sealed trait ClaimUse {
  /** CANCELLED, KEPT, UNUSED or DROPPED. */
  def outcome: String
  def exchange: Option[String] = None
  def operator: Option[String] = None
  def reason: Option[String] = None

  override def toString: String =
    Seq(
      Some(outcome),
      exchange.map(keys => s"Exchange($keys)"),
      operator.map(name => s"for $name"))
      .flatten.mkString(" ") + reason.fold("")(why => s": $why")
}

object ClaimUse {
  /** The operator needs the keys together and got no Exchange. */
  case class Cancelled(keys: String, consumer: String) extends ClaimUse {
    override def outcome: String = "CANCELLED"
    override def exchange: Option[String] = Some(keys)
    override def operator: Option[String] = Some(consumer)
  }

  /** An Exchange stands between the units and the operator. */
  case class Kept(keys: String, consumer: String, why: String) extends ClaimUse {
    override def outcome: String = "KEPT"
    override def exchange: Option[String] = Some(keys)
    override def operator: Option[String] = Some(consumer)
    override def reason: Option[String] = Some(why)
  }

  /** No operator needs rows together. */
  case object Unused extends ClaimUse {
    override def outcome: String = "UNUSED"
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
