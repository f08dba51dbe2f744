package io.eddyline.spark.assume

import io.eddyline.spark.assume.UnitCheck.Checked

/** Whether equal keys lie in one file. Only files are read whose keys are not known. */
private[assume] class FileCheck(units: UnitScanExec, every: Int)
  extends UnitCheck(Seq(units), every) {

  override protected def check(known: Map[FileVersion, Array[Long]]): Checked = {
    val unitOf = files.zipWithIndex.toMap
    val keys = new UnitKeys(sides)
    val found = new KeyCheck(every, limit)
      .run(keys.hashes, known.map { case (file, hashes) => unitOf(file) -> hashes })
    val read = found.read.map { case (unit, hashes) => files(unit) -> hashes }
    Checked(keys.verdict(found, limit), known ++ read, read.size, found.keysRead)
  }
}
