package io.eddyline.spark.assume.check

import io.eddyline.spark.assume.check.ClaimVerifier.Checked
import io.eddyline.spark.assume.units.UnitScanExec

/** Whether equal keys lie in one file. Only files are read whose keys are not known. */
private[assume] class UniqueFileVerifier(units: UnitScanExec, sampleStride: Int)
  extends ClaimVerifier(Seq(units), sampleStride) {

  private lazy val unitOf = files.zipWithIndex.toMap
  private lazy val keys = new KeyHashScan(sides)

  def keyCheck: DuplicateKeyFinder = new DuplicateKeyFinder(sampleStride, limit)

  override protected def check(): Checked = checked(
    keyCheck.run(keys.hashes, knownHashes.map { case (file, hashes) => unitOf(file) -> hashes }))

  /**
   * Whether the keys that a query gathers are worth more than what is known, which may be most of
   * the files. They are worth nothing if the files have changed since the query was planned, or
   * has listed them.
   */
  def isByGroups: Boolean = isListed && units.isAsPlanned &&
    known.isEmpty && knownHashes.size * 2 < files.size

  /**
   * By what a query has gathered while it read all rows.
   *
   * @param gathered the hashes of the keys of each unit; None of one with too many
   */
  def compare(gathered: Map[Int, Option[Array[Long]]]): ClaimVerifier.Result =
    kept(checked(keyCheck.compare(gathered)))

  private def checked(found: DuplicateKeyFinder.Result): Checked = {
    val read = found.read.map { case (unit, hashes) => files(unit) -> hashes }
    Checked(keys.verdict(found), knownHashes ++ read, read.size, found.keysRead)
  }
}
