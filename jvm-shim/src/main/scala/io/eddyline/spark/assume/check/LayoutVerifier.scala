package io.eddyline.spark.assume.check

import io.eddyline.spark.assume.check.ClaimVerifier.Result
import io.eddyline.spark.assume.units.UnitScanExec

/**
 * Checks whether equal keys lie in units with the same number, in one or several relations.
 *
 * @param relations relations whose keys have the same types
 */
private[assume] class LayoutVerifier(relations: Seq[UnitScanExec])
  extends ClaimVerifier(relations) {

  override protected def check(): Result = {
    val keys = new KeyHashScan(sides)
    val found = new DuplicateKeyFinder(limit).run(keys.hashes, Map.empty)
    Result(keys.verdict(found), Map.empty, files.size, found.keysRead)
  }
}
