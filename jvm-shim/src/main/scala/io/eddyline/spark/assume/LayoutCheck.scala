package io.eddyline.spark.assume

import io.eddyline.spark.assume.UnitCheck.Checked

/**
 * Whether equal keys lie in units of one number, in one or several relations.
 *
 * @param relations with keys of the same types
 */
private[assume] class LayoutCheck(relations: Seq[UnitScanExec], every: Int)
  extends UnitCheck(relations, every) {

  override protected def check(): Checked = {
    val keys = new UnitKeys(sides)
    val found = new KeyCheck(every, limit).run(keys.hashes, Map.empty)
    Checked(keys.verdict(found), Map.empty, files.size, found.keysRead)
  }
}
