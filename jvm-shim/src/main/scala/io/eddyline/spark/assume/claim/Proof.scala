package io.eddyline.spark.assume.claim

/** How a claim is known to be true. */
sealed abstract class Proof(val name: String)

object Proof {

  /** True by construction: the units are values of partition columns among the keys. */
  case object Structural extends Proof("structural")

  /** Each row is checked against the unit that its key hash gives, before the query reads rows. */
  case object Witness extends Proof("witness")

  /** All keys are checked before the first row. */
  case object Checked extends Proof("checked")

  /** The claim is not checked. */
  case object Trusted extends Proof("trusted")
}
