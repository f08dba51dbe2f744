package io.eddyline.spark.assume.claim

/** How a claim that is not true by construction is checked, and what happens if it is false. */
sealed abstract class Enforcement(val sql: String) {
  /** Whether a false claim is an error. */
  def fails: Boolean = this == Enforcement.Fail || this == Enforcement.SampleFail

  /** One hash in how many is checked. */
  def sampleStride: Int = this match {
    case Enforcement.SampleRepartition | Enforcement.SampleFail => 1024
    case _ => 1
  }

  /** Of a claim about files. */
  def proof(layout: Layout): Proof = this match {
    case Enforcement.NotEnforced => Proof.Trusted
    case _ if layout.hashed => Proof.Witness
    case Enforcement.Repartition | Enforcement.Fail => Proof.Checked
    case Enforcement.SampleRepartition | Enforcement.SampleFail => Proof.Sampled
  }

  /** What EXPLAIN adds where it is not the default. */
  def suffix: String = if (this == Enforcement.Repartition) "" else s" $sql"
}

object Enforcement {
  /** Check before the first row, and shuffle if the claim is false. */
  case object Repartition extends Enforcement("ENFORCED ON VIOLATION REPARTITION")

  /** Check before the first row, and fail if the claim is false. */
  case object Fail extends Enforcement("ENFORCED ON VIOLATION FAIL")

  /** As the above, by the keys of one hash in 1024 only. */
  case object SampleRepartition extends Enforcement("ENFORCED SAMPLE ON VIOLATION REPARTITION")

  case object SampleFail extends Enforcement("ENFORCED SAMPLE ON VIOLATION FAIL")

  /** Trust. */
  case object NotEnforced extends Enforcement("NOT ENFORCED")

  /** By the words of the placeholder. */
  def named(enforced: String, violation: String): Option[Enforcement] =
    (enforced, violation) match {
      case ("full", "repartition") => Some(Repartition)
      case ("full", "fail") => Some(Fail)
      case ("sample", "repartition") => Some(SampleRepartition)
      case ("sample", "fail") => Some(SampleFail)
      case ("no", _) => Some(NotEnforced)
      case _ => None
    }
}
