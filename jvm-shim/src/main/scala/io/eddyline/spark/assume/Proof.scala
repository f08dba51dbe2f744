package io.eddyline.spark.assume

/** How a claim is known to be true. */
sealed abstract class Proof(val name: String)

object Proof {
  /** By construction: the units are values of the keys. */
  case object Structural extends Proof("structural")

  /** All keys are checked before the first row. */
  case object Checked extends Proof("checked")

  /** Some keys are checked before the first row. */
  case object Sampled extends Proof("sampled")

  /** Not at all. */
  case object Trusted extends Proof("trusted")
}
