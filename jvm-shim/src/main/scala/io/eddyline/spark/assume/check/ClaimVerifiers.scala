package io.eddyline.spark.assume.check

import io.eddyline.spark.assume.units.UnitScanExec

/** Chooses the verifier for a claim. */
private[assume] object ClaimVerifiers {

  /** Returns the verifier of a claim about one relation. */
  def of(units: UnitScanExec): ClaimVerifier = units.layout.size match {
    case Some(size) if units.layout.hashed => new WitnessVerifier(units, size)
    case _ if units.layout.isNumbered => new LayoutVerifier(Seq(units))
    case _ => new UniqueFileVerifier(units)
  }
}
