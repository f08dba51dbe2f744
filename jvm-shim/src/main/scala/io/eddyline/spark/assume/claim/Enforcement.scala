package io.eddyline.spark.assume.claim

/** How a claim that is not true by construction is checked, and what is done if it is false. */
sealed abstract class Enforcement(val sql: String) {

  /** Whether a false claim is an error. */
  def failsQuery: Boolean = this == Enforcement.Fail

  /** Returns how a claim about files with this enforcement is known to be true. */
  def proof(layout: Layout): Proof = this match {
    case Enforcement.NotEnforced => Proof.Trusted
    case _ if layout.hashed => Proof.HashCheck
    case Enforcement.Repartition | Enforcement.Fail => Proof.Checked
  }

  /** The enforcement as EXPLAIN appends it, with a leading blank; empty for the default. */
  def suffix: String = if (this == Enforcement.Repartition) "" else s" $sql"
}

object Enforcement {

  /** Checks all keys before the first row, and shuffles if the claim is false. */
  case object Repartition extends Enforcement("ENFORCED ON VIOLATION REPARTITION")

  /** Checks all keys before the first row, and fails if the claim is false. */
  case object Fail extends Enforcement("ENFORCED ON VIOLATION FAIL")

  /** Trusts the claim without a check. */
  case object NotEnforced extends Enforcement("NOT ENFORCED")
}

/**
 * How a claim is known to be true.
 *
 * @param name the proof in EXPLAIN and EXPLAIN CLAUSES
 */
sealed abstract class Proof(val name: String)

object Proof {

  /** True by construction: the units are values of partition columns among the keys. */
  case object Structural extends Proof("structural")

  /** Each row must be in the unit that the hash of its keys gives. This is checked first. */
  case object HashCheck extends Proof("hash check")

  /** All keys are checked before the first row. */
  case object Checked extends Proof("checked")

  /** The claim is not checked. */
  case object Trusted extends Proof("trusted")
}
