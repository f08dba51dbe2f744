package io.eddyline.spark.assume.claim

/** How a claim is known to be true. */
sealed abstract class Proof(val name: String)

object Proof {
  /** By construction: the units are values of the keys. */
  case object Structural extends Proof("structural")

  /** By the hash of every row, which is checked before the first one is read. */
  case object Witness extends Proof("witness")

  /** All keys are checked before the first row. */
  case object Checked extends Proof("checked")

  /** Some keys are checked before the first row. */
  case object Sampled extends Proof("sampled")

  /** Not at all. */
  case object Trusted extends Proof("trusted")
}
